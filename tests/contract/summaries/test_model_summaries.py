"""A model summarises a session: one request, verified, with quotes until its reply is there."""

import json
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial

import pytest

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.memory import Memory, MemoryScope, due_work, request_batches
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from slowwave.store.model_requests import erase
from tests.contract.harness import Harness
from tests.contract.summaries.harness import Model, live, said, say, shown, small, sum_up, telling

__all__ = ["live", "small"]

SAID = ["I moved to Oslo in May 2024.", "I work at Equinor."]
TOLD = "The user moved to Oslo in May 2024 and works at Equinor."
RECORDED = said({"text": TOLD, "from": [1, 2]})


Process = Callable[..., AbstractContextManager[wiring.Parts]]


@pytest.fixture
def another(settings: Settings, heavy_parts: dict[str, object]) -> Process:
    """Gives the parts of another process with a model, and with these settings."""
    return partial(telling, settings, heavy_parts)


def tell(alice: MemoryScope, *sentences: str, start: int) -> None:
    """Push more sentences in the session."""
    say(parts_of(alice), alice.scope, *sentences, start=start)


@pytest.fixture
def alice(live: wiring.Parts, scope: Scope) -> MemoryScope:
    """Alice, who has said two things."""
    return say(live, scope, *SAID)


def test_a_model_summary_replaces_the_quotes(alice: MemoryScope, live: wiring.Parts, small: Model) -> None:
    small.replies = [RECORDED]
    sum_up(alice, ask=False)
    before = alice.summary("s1")
    assert (before.by, before.lines[0].text) == ("extract", "2026-03-02 user: I moved to Oslo in May 2024.")
    assert due_work.count_pending_requests(live, alice.scope.id) == 1

    Memory(live).drain()

    after = alice.summary("s1")
    assert (after.by, [line.text for line in after.lines]) == ("model small", [f"2026-03-03 {TOLD}"])
    assert [source.key for source in after.sources] == ["s1/1", "s1/0"], "the newest first"
    assert [alice.episode(source.episode).content for source in after.sources] == SAID[::-1]
    assert after.fact == before.fact
    assert small.provider.billed.total() == 1


def test_later_turns_are_quoted_until_the_model_summarises_them(alice: MemoryScope, small: Model) -> None:
    small.replies = [RECORDED]
    sum_up(alice)
    tell(alice, "My sister Ann visits.", start=2)

    found = alice.summary("s1")

    assert (found.by, found.covered) == ("model small", 3)
    assert [line.text[11:] for line in found.lines] == [TOLD, "user: My sister Ann visits."]


def test_a_summary_continues_the_previous_one_and_requests_nothing_twice(alice: MemoryScope, small: Model) -> None:
    small.replies = [RECORDED, said({"text": TOLD, "from": [1]}, {"text": "The sister Ann visits.", "from": [2]})]
    sum_up(alice)
    tell(alice, "My sister Ann visits.", start=2)
    sum_up(alice)
    sum_up(alice)

    first, second = ([text for _, text in shown(messages)] for messages in small.asked)
    assert first == [f"user: {words}" for words in SAID]
    assert second == [TOLD, "user: My sister Ann visits."]
    found = alice.summary("s1")
    assert [[s.key for s in (line.source, *line.more_sources)] for line in found.lines] == [["s1/1", "s1/0"], ["s1/2"]]
    assert small.provider.billed.total() == 2


@pytest.mark.parametrize(
    ("says", "counted"),
    [("The user lives in Bergen.", "refused_unsaid_names"), ("They moved to Oslo in 2023.", "refused_unsaid_numbers")],
)
def test_a_reply_with_invented_names_is_refused_and_quotes_stay(
    alice: MemoryScope, live: wiring.Parts, small: Model, says: str, counted: str
) -> None:
    small.replies = [said({"text": "The user works at Equinor.", "from": [2]}, {"text": says, "from": [1]})]
    reports = sum_up(alice)

    assert [report.counts.get(counted, 0) for report in reports] == [0, 1]
    assert (alice.summary("s1").by, len(alice.summary("s1").lines)) == ("extract", 2)
    (kept,) = live.records.rejected("default", most=10)
    assert (kept.pack, kept.said) == ("_retell", {"text": says})

    tell(alice, "My sister Ann visits.", start=2)
    sum_up(alice)
    assert alice.summary("s1").by == "model small"
    assert [text for _, text in shown(small.asked[-1])][:2] == [f"user: {words}" for words in SAID], "the quotes"
    assert small.provider.billed.total() == 2


def test_a_sentence_without_a_source_is_requested_again_with_the_complaint(alice: MemoryScope, small: Model) -> None:
    small.replies = [said({"text": TOLD, "from": [9]}), RECORDED]
    sum_up(alice)

    assert alice.summary("s1").by == "model small"


def test_another_worker_uses_the_reply_of_a_killed_worker(
    alice: MemoryScope, live: wiring.Parts, small: Model, another: Process
) -> None:
    sum_up(alice, ask=False)
    assert live.asker is not None
    assert live.asker.ask("ann") == "ok"  # the reply is stored; the worker that claims the run to apply it vanishes
    run = live.runs.claim(owner="ann", scope=alice.scope.id, jobs=["retell"], overdue_seconds=0)
    assert run is not None
    plan = live.jobs["retell"].think(run, live.runs)
    assert plan.counts["told"] == 1
    assert alice.summary("s1").by == "extract"

    with another(small) as other:
        Memory(other).drain()

    assert alice.summary("s1").by == "model small"
    assert small.provider.billed.total() == 1


def test_an_exhausted_budget_pauses_summaries_and_quotes_remain(
    small: Model, scope: Scope, harness: Harness, another: Process
) -> None:
    with another(small, model_tokens_a_day=5_000) as parts:
        harness.rows(
            "INSERT INTO model_budgets (tenant, day, cap_tokens, spent_tokens) "
            "VALUES ('default', (slowwave_now() AT TIME ZONE 'UTC')::date, 5000, 4000)"
        )
        alice = say(parts, scope, *SAID)
        sum_up(alice)
        assert (alice.summary("s1").by, small.provider.billed.total()) == ("extract", 0)
        desk = parts.records.overview("default").model_calls
        assert desk is not None
        assert (desk.pending, desk.paused_until is not None) == (1, True)

        harness.later(24 * 3600)
        Memory(parts).drain()

        assert alice.summary("s1").by == "model small"


def test_summaries_are_requested_and_answered_in_batch_files(another: Process, scope: Scope) -> None:
    with another(None) as parts:
        alice = say(parts, scope, *SAID)
        sum_up(alice)
        (line,) = request_batches.export_requests(parts, form="openai", peek=False, most=10, hours=1)
        asked = json.loads(line)
        assert asked["body"]["temperature"] == 0
        body = {"model": "small-1", "choices": [{"message": {"content": RECORDED}, "finish_reason": "stop"}]}
        back = json.dumps({"custom_id": asked["custom_id"], "response": {"status_code": 200, "body": body}})

        assert request_batches.import_replies(parts, [back]) == Counter(ok=1)
        Memory(parts).drain()

        assert alice.summary("s1").by == "model small"
        assert request_batches.import_replies(parts, [back]) == Counter(answered=1)


def test_a_refused_request_becomes_dead_letters_and_a_retry_requests_again(
    alice: MemoryScope, live: wiring.Parts, small: Model
) -> None:
    small.provider.script = ["400"]
    sum_up(alice)
    letters = live.records.dead_letters("default")
    found = sorted((one.pack, one.position, one.category) for one in letters)
    assert found == [("_retell", 1, "incorrect"), ("_retell", 2, "incorrect")]
    assert alice.summary("s1").by == "extract"

    live.records.ask_again("default", letters)
    Memory(live).drain()

    assert alice.summary("s1").by == "model small"
    assert {s.key for s in alice.summary("s1").sources} == {"s1/0", "s1/1"}


def test_a_session_too_long_for_the_model_is_summarised_in_halves(alice: MemoryScope, small: Model) -> None:
    small.provider.script = ["413"]
    tell(alice, "My sister Ann visits.", "We eat fish.", start=2)
    sum_up(alice)

    assert [[text for _, text in shown(messages)][-2:] for messages in small.asked] == [
        ["user: I moved to Oslo in May 2024.", "user: I work at Equinor."],
        ["user: My sister Ann visits.", "user: We eat fish."],
    ]
    assert {s.key for s in alice.summary("s1").sources} == {"s1/0", "s1/1", "s1/2", "s1/3"}


def test_a_long_session_is_summarised_in_parts(live: wiring.Parts, small: Model, scope: Scope) -> None:
    alice = say(live, scope, *(f"I met Ann{n} in Oslo. " + "It was nice. " * 200 for n in range(10)))
    sum_up(alice)

    assert small.provider.billed.total() == len(small.asked) > 1
    assert max(source.position for source in alice.summary("s1", max_tokens=10_000).sources) == 10
    news = [sum("It was nice." in text and "It is known" not in text for _, text in shown(m)) for m in small.asked]
    assert sum(news) == 10, "each turn is shown once"


def test_an_erased_turn_leaves_the_summary_at_once_and_a_new_request_follows(
    alice: MemoryScope, live: wiring.Parts, small: Model, harness: Harness
) -> None:
    sum_up(alice)
    assert "Equinor" in alice.summary("s1").text
    with live.database.tenant("default") as connection:
        assert len(erase(connection, alice.scope.id, [2])) == 1
    harness.rows("DELETE FROM episodes WHERE scope = %s AND position = 2", alice.scope.id)

    now = alice.summary("s1")
    assert (now.by, [line.text[11:] for line in now.lines]) == ("extract", ["user: I moved to Oslo in May 2024."])
    Memory(live).drain()

    anew = alice.summary("s1")
    assert (anew.by, [s.position for s in anew.sources]) == ("model small", [1])
    assert "Equinor" not in json.dumps([list(messages) for messages in small.asked[1:]])
    assert harness.value("SELECT count(*) FROM model_summaries WHERE lines::text LIKE '%%Equinor%%'") == 0
    assert harness.value("SELECT count(*) FROM model_payloads WHERE words::text LIKE '%%Equinor%%'") == 0


def test_a_new_model_summarises_the_pending_sessions(alice: MemoryScope, small: Model, another: Process) -> None:
    sum_up(alice, ask=False)
    with another(small, model="other") as parts:
        say(parts, alice.scope, "My sister Ann visits.", start=2)
        sum_up(MemoryScope(parts, alice.scope))
        assert alice.summary("s1").by == "model other"
    assert small.provider.models == {"other"}


def test_the_model_summariser_requires_a_model(settings: Settings) -> None:
    parts = wiring.connect(settings.model_copy(update={"summariser": "model"}))
    with pytest.raises(Incorrect, match="no model is set"):
        _ = parts.model_summariser
    parts.close()
