"""A model judges beliefs at night: one request per scope and night, and only verdicts with quoted words count."""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE, PREPARE, RECONSIDER, pack_of
from slowwave.domain.model_calls import Message
from slowwave.domain.run import Report, Run
from slowwave.domain.scope import Scope
from slowwave.errors import Fenced
from slowwave.memory import Memory, MemoryScope, due_work
from slowwave.settings import Settings
from slowwave.store.beliefs.digest import digest
from slowwave.store.model_requests import erase
from tests.conftest import NOON
from tests.contract.harness import Harness, somebody
from tests.contract.summaries.harness import Model, model, runs
from tests.statements import heavy_parts

__all__ = ["heavy_parts"]

TAKES, OFF = "I take metformin for my diabetes", "The doctor let me do without the metformin"
BELIEVED, LEARNED = "Kofi takes metformin", "The doctor let Kofi do without the metformin"
DAY = timedelta(days=1)
ENDED = {"b": 1, "n": 1, "q": "let me do without the metformin", "v": "ended", "sure": True}


@pytest.fixture
def small() -> Iterator[Model]:
    """A model with scripted replies, and a reply without changes after them."""
    with model() as small:

        def reply(messages: Sequence[Message]) -> str:
            small.asked.append(messages)
            return small.replies.pop(0) if small.replies else json.dumps({"verdicts": []})

        small.provider.replies = reply
        yield small


@pytest.fixture
def live(settings: Settings, heavy_parts: dict[str, object], small: Model) -> Iterator[wiring.Parts]:
    """The parts of a process with rules that read episodes and a model that judges beliefs."""
    known = {**settings.model_dump(exclude_unset=True), "model": "small", "model_url": small.provider.url}
    parts = wiring.connect(Settings.load(**known))
    vars(parts).update(heavy_parts, models={})
    wiring.register(parts)
    yield parts
    parts.close()


def tell(parts: wiring.Parts, scope: Scope, *told: str, day: int = 0, ask: bool = True) -> None:
    """Push a text as Kofi, and do all work that is due by day."""
    parts.push(
        scope,
        [
            Episode(content=text, key=f"{day}-{number}", session=f"s{day}", speaker="Kofi",
                    occurred_at=NOON + timedelta(days=day, minutes=number))
            for number, text in enumerate(told)
        ],
    )  # fmt: skip
    due_work.fire(parts, scope.id)
    _ = Memory(parts).drain() if ask else runs(parts)


def night(parts: wiring.Parts, *, ask: bool = True) -> list[Report]:
    """Run the nightly work; return the runs that reconsidered beliefs."""
    parts.schedule.fire_job(RECONSIDER, pack_of(RECONSIDER), by="test")
    reports = Memory(parts).drain() if ask else runs(parts)
    return [report for report in reports if report.job == RECONSIDER]


def replying(small: Model, *verdicts: Mapping[str, Any]) -> None:
    small.replies = [json.dumps({"verdicts": list(verdicts)})]


def asked(small: Model) -> list[str]:
    """Return the prompts of the requests, in order."""
    return [messages[-1]["content"] for messages in small.asked]


def believed(parts: wiring.Parts, scope: Scope) -> list[str]:
    return sorted(fact.text for fact in parts.records.facts(scope, as_of=NOON + timedelta(days=9)))


def decided(harness: Harness, scope: Scope) -> list[tuple[object, ...]]:
    """Return the decisions of the job: kind, rule, and the cited episodes."""
    return harness.rows(
        "SELECT kind, rule, (SELECT array_agg(s.key ORDER BY s.ordinal) FROM delta_sources s WHERE s.delta = d.id) "
        "FROM deltas d WHERE scope = %s AND pack = '_reconsider' ORDER BY recorded",
        scope.id,
    )


@pytest.fixture
def told(live: wiring.Parts) -> Scope:
    """Kofi took metformin and was told a day later not to; no rule connects the two texts."""
    scope = somebody()
    tell(live, scope, TAKES)
    tell(live, scope, OFF, day=1)
    assert believed(live, scope) == [BELIEVED, LEARNED]
    return scope


def test_the_judge_is_shown_beliefs_that_rested_on_an_ended_belief(
    live: wiring.Parts, small: Model, harness: Harness
) -> None:
    scope = somebody()
    tell(live, scope, "I wear a cast on my broken wrist", "I dictate every email because of the broken wrist")
    tell(live, scope, "The cast is off", day=1)
    (dictates,) = believed(live, scope)
    replying(small, {"b": 2, "n": 2, "q": "The cast is off", "v": "ended", "sure": True})
    night(live)

    (shown,) = asked(small)
    assert "2 Kofi: The cast is off\n" in shown
    assert shown.endswith(f"\n2 {dictates}")
    assert decided(harness, scope) == [("delete", "slowwave.reconsider/model-ended@1", ["1-0", "0-1"])]


def test_a_verdict_ends_a_belief_and_cites_its_words(
    live: wiring.Parts, small: Model, told: Scope, harness: Harness
) -> None:
    replying(small, ENDED)
    night(live)

    assert asked(small) == [f"SAID\n1 Kofi: {OFF}\nBELIEVED\n1 {BELIEVED}"]
    assert believed(live, told) == [LEARNED]
    assert decided(harness, told) == [("delete", "slowwave.reconsider/model-ended@1", ["1-0", "0-0"])]
    spans = "SELECT span_start, span_end FROM delta_sources s JOIN deltas d ON d.id = s.delta WHERE d.scope = %s AND "
    span = harness.rows(spans + "d.pack = '_reconsider' AND s.ordinal = 0", told.id)
    assert [OFF[start:end] for start, end in span] == [ENDED["q"]]
    before = live.records.facts(told, as_of=NOON + timedelta(hours=1))
    assert BELIEVED in [fact.text for fact in before], "what was so stays so of its time"
    assert list(wiring.checks(live.database).findings(folds=None)) == []


def test_the_judge_is_asked_once_per_scope_and_night(live: wiring.Parts, small: Model, told: Scope) -> None:
    assert small.provider.billed.total() == 0
    night(live)
    night(live)
    assert small.provider.billed.total() == 1, "the second night had no news"

    tell(live, told, "My sister told me that metformin is cheap", day=2)
    assert small.provider.billed.total() == 1
    night(live)
    assert small.provider.billed.total() == 2


def test_unrelated_turns_cause_no_request(live: wiring.Parts, small: Model) -> None:
    scope = somebody()
    tell(live, scope, TAKES)
    tell(live, scope, "The harbour pool opens at six on Mondays", day=1)
    night(live)
    night(live)

    assert asked(small) == []


def test_news_checked_by_day_is_judged_by_night(live: wiring.Parts, small: Model) -> None:
    scope = somebody()
    tell(live, scope, TAKES)
    tell(live, scope, OFF, "I finished the marathon", day=1)
    tell(live, scope, "Hello there", day=2)
    ran = "SELECT count(*) FROM runs WHERE scope = %(scope)s AND job = 'reconsider'"
    with live.database.tenant(scope.tenant) as connection:
        assert connection.exec_driver_sql(ran, {"scope": scope.id}).scalar_one() == 1, "a change was told"
    assert asked(small) == []

    night(live)
    assert len(asked(small)) == 1


def test_a_belief_that_rules_ended_is_not_judged(live: wiring.Parts, small: Model, harness: Harness) -> None:
    scope = somebody()
    tell(live, scope, "The flaky test test_invoice_rounding is driving me crazy at the end of every sprint")
    said = "Finally passed test_invoice_rounding, it was DST"
    live.push(scope, [Episode(content=said, key="1", session="s1", speaker="Kofi", occurred_at=NOON + DAY)])
    due_work.fire(live, scope.id)
    while due_work.run_next(live, owner="test", only=[PREPARE, CONSOLIDATE]) is not None:
        pass
    harness.rows(
        "UPDATE intents SET hastened = false, due = 'infinity' WHERE job = %s", RECONSIDER
    )  # the daytime run did not judge it
    (report,) = night(live)

    assert (report.deltas["delete"], report.counts.get("asked", 0)) == (1, 0)
    assert asked(small) == []


def test_each_scope_has_its_own_request(live: wiring.Parts, small: Model, told: Scope, harness: Harness) -> None:
    other = somebody()
    tell(live, other, "I take lithium")
    tell(live, other, "The doctor let me do without the lithium", day=1)
    small.replies = [json.dumps({"verdicts": [ENDED, {**ENDED, "b": 2}]})] * 2
    night(live)

    assert len(small.asked) == 2
    assert all(("lithium" in shown) != ("metformin" in shown) for shown in asked(small))
    assert believed(live, told) == [LEARNED]
    assert "Kofi takes lithium" in believed(live, other), "the words it cites were not said here"
    assert decided(harness, other) == []


HOSTILE = {
    "a sentence nobody said": ({**ENDED, "q": "I threw the metformin away"}, "the words were not said"),
    "words of the belief": ({**ENDED, "q": "I take metformin"}, "the words were not said"),
    "no words": ({**ENDED, "q": ""}, "the words were not said"),
    "it names a fact that was not shown": ({**ENDED, "b": 9}, "it names a fact that was not shown"),
    "no number": ({**ENDED, "b": True}, "it names a fact that was not shown"),
    "it cites a turn that was not shown": ({**ENDED, "n": 0}, "it cites a turn that was not shown"),
    "an unknown verdict": ({**ENDED, "v": "forget everything"}, "it does not match the schema of a verdict"),
    "words that say nothing": ({**ENDED, "q": "me"}, "the quoted words have no content"),
    "no repetition": ({**ENDED, "v": "same"}, "the words also say something else"),
    "a wrong belief": (
        {**ENDED, "n": 2, "q": "washed the Honda Jazz"}, "the words have nothing to do with it"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("verdict", "reason"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_verdict_changes_nothing_and_is_kept_with_the_reason(
    live: wiring.Parts, small: Model, harness: Harness, verdict: dict[str, Any], reason: str
) -> None:
    scope = somebody()
    tell(live, scope, TAKES, "I drive a Honda Jazz to the office")
    tell(live, scope, OFF, "I washed the Honda Jazz", day=1)
    before = believed(live, scope)
    assert BELIEVED in before
    replying(small, verdict)
    night(live)

    assert small.provider.billed.total() == 1
    assert believed(live, scope) == before
    assert decided(harness, scope) == []
    (kept,) = live.records.rejected("default", most=10)
    assert (kept.pack, kept.reason) == ("_reconsider", reason)


WRONG = {
    "a neighbour": ("My neighbour was taken off the metformin by her doctor", "was taken off the metformin", "refused"),
    "an aunt": ("So my aunt takes metformin too and hates it", "takes metformin too and hates it", "refused"),
    "no change": ("I washed the metformin box with the sponge", "washed the metformin box", "asked"),
}


@pytest.mark.parametrize(("told", "quoted", "outcome"), WRONG.values(), ids=WRONG)
def test_a_sure_verdict_on_a_belief_that_shares_a_word_changes_nothing_by_itself(
    live: wiring.Parts, small: Model, harness: Harness, told: str, quoted: str, outcome: str
) -> None:
    scope = somebody()
    tell(live, scope, TAKES)
    tell(live, scope, told, day=1)
    before = believed(live, scope)
    assert BELIEVED in before
    replying(small, {**ENDED, "q": quoted})
    night(live)

    assert small.provider.billed.total() == 1
    assert believed(live, scope) == before
    assert len(MemoryScope(live, scope).review()) == (outcome == "asked")
    reasons = [kept.reason for kept in live.records.rejected("default", most=10)]
    assert reasons == (["the words are about somebody else"] if outcome == "refused" else [])


def test_no_combination_of_beliefs_and_words_ends_what_no_words_end(
    live: wiring.Parts, small: Model, harness: Harness
) -> None:
    scope = somebody()
    tell(live, scope, TAKES, "I drive a Honda Jazz to the office", "I live in Leeds", "I teach the guitar on Mondays")
    said = [
        "I washed the Honda Jazz",
        "The trains to Leeds were late",
        "I tuned the guitar",
        "My uncle takes metformin",
    ]
    tell(live, scope, *said, day=1)
    before = believed(live, scope)
    pairs = itertools.product(range(1, 5), range(1, 7), said)
    replying(small, *({**ENDED, "b": b, "n": n, "q": words.partition(" ")[2]} for b, n, words in pairs))
    night(live)

    assert small.provider.billed.total() == 1
    assert believed(live, scope) == before
    assert decided(harness, scope) == []


def test_an_unsure_verdict_becomes_a_review(live: wiring.Parts, small: Model, told: Scope, harness: Harness) -> None:
    replying(small, {**ENDED, "sure": False})
    night(live)

    assert believed(live, told) == [BELIEVED, LEARNED]
    assert decided(harness, told) == []
    kofi = MemoryScope(live, told)
    (review,) = kofi.review()
    kofi.decide(review.number, "accept", by="a nurse")
    assert believed(live, told) == [LEARNED]


def test_an_unreadable_verdict_is_requested_again_with_the_complaint(
    live: wiring.Parts, small: Model, told: Scope
) -> None:
    small.replies = ["they no longer take it", json.dumps({"verdicts": [ENDED]})]
    night(live)

    assert believed(live, told) == [LEARNED]


@pytest.mark.parametrize("refusal", ["400", "413"])
def test_a_refused_request_changes_no_belief_and_the_next_night_continues(
    live: wiring.Parts, small: Model, told: Scope, refusal: str
) -> None:
    small.provider.script = [refusal]
    assert [report.counts.get("dead") for report in night(live)][-1] == 1
    assert believed(live, told) == [BELIEVED, LEARNED]

    tell(live, told, "The doctor let me do without the metformin at my visit", day=2)
    replying(small, {**ENDED, "q": "do without the metformin at my visit"})
    night(live)
    assert BELIEVED not in believed(live, told)


def test_a_worker_killed_before_the_request_leaves_no_duplicate_request(
    live: wiring.Parts, small: Model, told: Scope
) -> None:
    live.schedule.fire_job(RECONSIDER, pack_of(RECONSIDER), by="test")
    run = claimed(live, told)
    plans = [live.jobs[RECONSIDER].think(run, live.runs) for _ in range(2)]
    assert plans[0] == plans[1], "the same request, by its key"
    assert due_work.count_pending_requests(live, told.id) == 0

    replying(small, ENDED)
    Memory(live).drain()

    assert believed(live, told) == [LEARNED]
    assert small.provider.billed.total() == 1


def test_another_worker_uses_the_reply_of_a_killed_run(
    live: wiring.Parts, small: Model, told: Scope, harness: Harness
) -> None:
    replying(small, ENDED)
    night(live, ask=False)
    assert due_work.count_pending_requests(live, told.id) == 1
    assert live.asker is not None
    assert live.asker.ask("ann") == "ok"
    run = claimed(live, told)
    plan = live.jobs[RECONSIDER].think(run, live.runs)
    assert len(plan.decisions) == 1
    harness.later(harness.lease + 1)

    Memory(live).drain()
    with pytest.raises(Fenced):
        live.runs.settle(run, plan)

    assert believed(live, told) == [LEARNED]
    assert len(decided(harness, told)) == 1
    assert small.provider.billed.total() == 1


def claimed(parts: wiring.Parts, scope: Scope) -> Run:
    run = parts.runs.claim(owner="frozen", scope=scope.id, jobs=[RECONSIDER], overdue_seconds=0)
    assert run is not None
    return run


def test_a_verdict_is_applied_once(live: wiring.Parts, small: Model, told: Scope, harness: Harness) -> None:
    replying(small, ENDED)
    night(live)
    with live.database.tenant(told.tenant) as connection:
        before = digest(connection, told.id)
    tell(live, told, "Hello there", day=2)
    night(live)

    with live.database.tenant(told.tenant) as connection:
        assert digest(connection, told.id) == before
    assert len(decided(harness, told)) == 1


def test_erased_words_are_not_sent_to_the_judging_model(
    live: wiring.Parts, small: Model, told: Scope, harness: Harness
) -> None:
    replying(small, ENDED)
    night(live, ask=False)
    with live.database.tenant(told.tenant) as connection:
        assert len(erase(connection, told.id, [2])) == 1
    harness.rows("DELETE FROM episodes WHERE scope = %s AND position = 2", told.id)
    Memory(live).drain()

    assert small.asked == []
    assert decided(harness, told) == []
    assert harness.value("SELECT count(*) FROM model_payloads WHERE words::text LIKE '%%without the metformin%%'") == 0


def test_a_new_model_answers_the_pending_requests(
    live: wiring.Parts, small: Model, told: Scope, settings: Settings, heavy_parts: dict[str, object]
) -> None:
    night(live, ask=False)
    tell(live, told, "The doctor let me do without the metformin at my visit", day=2, ask=False)
    known = {**settings.model_dump(exclude_unset=True), "model": "other", "model_url": small.provider.url}
    parts = wiring.connect(Settings.load(**known))
    vars(parts).update(heavy_parts, models={})
    replying(small, ENDED)
    night(parts)
    parts.close()

    assert small.provider.models == {"other"}
    assert believed(live, told) == [LEARNED]


def test_a_verdict_of_repetition_merges_two_beliefs(live: wiring.Parts, small: Model, harness: Harness) -> None:
    scope = somebody()
    tell(live, scope, "I swim with Wei at the harbour pool on Mondays")
    tell(live, scope, "On Mondays I swim with Wei at the pool", day=1)
    before = believed(live, scope)
    assert len(before) == 2
    replying(small, {"b": 1, "n": 1, "q": "I swim with Wei at the pool", "v": "same", "sure": True})
    night(live)

    assert believed(live, scope) == ["Kofi swims with Wei at the harbour pool on Mondays"]
    assert [kind for kind, *_ in decided(harness, scope)] == ["noop", "delete"]


def test_facts_learned_during_a_request_are_judged_the_next_night(live: wiring.Parts, small: Model) -> None:
    scope = somebody()
    tell(live, scope, TAKES, "I keep a harpsichord in the hall")
    tell(live, scope, OFF, day=1)
    night(live, ask=False)
    tell(live, scope, "My niece has the harpsichord", day=2, ask=False)
    night(live)
    night(live)

    assert ["niece" in shown for shown in asked(small)] == [False, True]
