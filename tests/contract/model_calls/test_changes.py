"""Changed prompts, erased users and late replies: windows are planned again, and no reply is paid twice."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from slowwave.core.predicates import Predicate, Predicates
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE, PLAN
from slowwave.domain.model_calls import Answer
from slowwave.domain.scope import Scope
from slowwave.errors import Fenced
from slowwave.jobs.consolidate import Consolidate
from slowwave.memory import due_work, request_batches
from slowwave.store.beliefs.facts import why
from slowwave.store.model_requests import erase
from slowwave.store.packs import PackEntry, register
from tests.contract.harness import Harness, somebody
from tests.contract.late_arrivals.comparing import believed, reviews, sound
from tests.contract.model_calls.harness import TENANT, ModelCalls, likes
from tests.contract.model_calls.scripted_models import TALK, Talk, echo, newer
from tests.contract.model_calls.test_batches import answered, handed


def test_a_changed_prompt_keeps_answered_requests_and_replans_the_others(
    model_calls: ModelCalls, harness: Harness, scope: Scope, talk: Talk
) -> None:
    for start in (1, 5, 9):
        model_calls.say(scope, *likes(4, start), start=start)
        model_calls.drain()
    first, second, third = model_calls.requests()
    model_calls.close(second)

    model_calls.install(newer(talk, "talk-2"))

    assert sorted(model_calls.drain()) == ["plan 1-4 ok", "plan 9-12 ok"]
    states = harness.rows("SELECT request, state FROM model_requests WHERE request = ANY(%s)", [first, second, third])
    assert dict(states) == {first: "void", second: "answered", third: "void"}
    for request in model_calls.requests():
        model_calls.close(request)
    model_calls.drain()
    assert model_calls.marks(scope) == (12, 12)
    assert len(model_calls.beliefs(scope)) == 12

    model_calls.install(newer(talk, "talk-1"))
    assert model_calls.drain() == []


def test_a_restored_prompt_reuses_the_paid_replies(model_calls: ModelCalls, scope: Scope, talk: Talk) -> None:
    model_calls.say(scope, *likes(8))
    model_calls.drain()
    first, second = model_calls.requests()
    model_calls.close(first)
    model_calls.install(newer(talk, "talk-2"))
    model_calls.drain()

    model_calls.install(talk)
    model_calls.drain()

    assert model_calls.requests() == [second]
    model_calls.close(second)
    assert model_calls.drain() == ["consolidate 1-8 ok"]


def test_an_erasure_during_a_request_discards_its_reply(
    model_calls: ModelCalls, harness: Harness, scope: Scope
) -> None:
    model_calls.say(scope, *likes(8))
    model_calls.drain()
    lines = handed(model_calls)

    with harness.parts.database.tenant(TENANT) as connection:
        gone = erase(connection, scope.id, [3])

    assert len(gone) == 2  # the second chunk quotes positions 3 and 4
    request_batches.import_replies(harness.parts, map(answered, lines))
    kept = harness.value("SELECT count(*) FROM model_replies WHERE raw LIKE '%%food3%%'")
    said = harness.value("SELECT count(*) FROM model_payloads WHERE words::text LIKE '%%food3%%'")
    assert (kept, said) == (0, 0)
    assert harness.value("SELECT count(*) FROM model_windows WHERE stale") == 1
    assert model_calls.intents() == [(PLAN, "pending", True)]


def test_a_late_reply_about_an_erased_user_is_paid_and_discarded(
    model_calls: ModelCalls, harness: Harness, scope: Scope
) -> None:
    model_calls.say(scope, *likes(4))
    model_calls.drain()
    handed(model_calls)
    (request,) = model_calls.requests("asked")
    call = harness.parts.batches.call_for(request)
    assert call is not None
    taken = harness.parts.calls.words(call[0], request, call[1])
    assert taken is not None

    with harness.parts.database.tenant(TENANT) as connection:
        erase(connection, scope.id, [3])

    assert harness.parts.clerk.bring(taken, Answer(echo(taken.chunk.words.messages))) == "erased"
    assert harness.value("SELECT count(*) FROM model_replies WHERE raw IS NOT NULL") == 0
    assert harness.value("SELECT spent_tokens > 0 AND reserved_tokens = 0 FROM model_budgets")


def test_a_run_that_read_erased_words_writes_nothing(model_calls: ModelCalls, harness: Harness, scope: Scope) -> None:
    model_calls.say(scope, *likes(4))
    run = harness.claimed("ann", jobs=[PLAN])
    plan = harness.parts.jobs[PLAN].think(run, harness.parts.runs)

    with harness.parts.database.tenant(TENANT) as connection:
        erase(connection, scope.id, [3])

    with pytest.raises(Fenced):
        harness.parts.runs.settle(run, plan)
    assert harness.value("SELECT count(*) FROM model_requests") == 0


def test_lost_wake_ups_are_found(model_calls: ModelCalls, harness: Harness, scope: Scope) -> None:
    model_calls.say(scope, *likes(4))
    model_calls.drain()
    (request,) = model_calls.requests()
    model_calls.close(request)
    harness.rows("DELETE FROM intents WHERE pack = %s", TALK)
    assert model_calls.drain() == []

    found = harness.parts.schedule.orphans(by="test")

    assert [one.job for one in found if one.scope == scope.id] == ["consolidate"]
    assert model_calls.drain() == ["consolidate 1-4 ok"]

    model_calls.say(scope, *likes(4, 5), start=5)
    model_calls.drain()
    harness.rows("UPDATE model_windows SET stale = true WHERE state = 'waiting'")
    assert [one.job for one in harness.parts.schedule.orphans(by="test")] == ["plan"]
    assert model_calls.drain() == ["plan 5-8 ok"]
    assert harness.parts.schedule.orphans(by="test") == []


def test_a_pack_changed_to_rules_continues_at_its_watermark(
    model_calls: ModelCalls, harness: Harness, scope: Scope
) -> None:
    model_calls.say(scope, *likes(4))
    model_calls.drain()
    assert model_calls.marks(scope) == (0, 4)

    with harness.parts.database.dispatch() as connection:
        register(connection, [PackEntry(TALK, CONSOLIDATE, 2, b"rules")], [])

    assert model_calls.marks(scope) == (0, 0)
    assert harness.rows("SELECT state FROM model_windows") == [("done",)]


NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
SAID = (
    ("lives in Lisbon", "likes tea", "lives in Faro", "likes milk"),
    ("lives in Oslo", "left Oslo", "lives in Bergen", "forgets milk"),
    ("meant Porto", "lives in Rome", "likes milk", "left Bergen"),
)
"""Three chunks; the second has a move between two others, an ending, and text that must not be learned."""
LATE = range(5, 9)


def say(harness: Harness, scope: Scope) -> None:
    """Push the three chunks, a turn per minute, and make the work on them due."""
    turns = [turn for chunk in SAID for turn in chunk]
    said = [
        Episode(content=turn, key=f"k{number}", session="s1", occurred_at=NOON + number * timedelta(minutes=1))
        for number, turn in enumerate(turns, 1)
    ]
    harness.parts.push(scope, said)
    due_work.fire(harness.parts, scope.id)


def refused(harness: Harness, scope: Scope, request: str) -> None:
    """Let a request fail for good, and wake the window that waits for it."""
    harness.rows("UPDATE model_requests SET state = 'dead', reason = 'refused: 400' WHERE request = %s", request)
    harness.rows(
        "SELECT slowwave_ask(ARRAY[ROW(%s, 'default', 'consolidate', %s, 0, slowwave_now(), true, NULL, NULL, NULL)"
        "::slowwave_work])", scope.id, TALK,
    )  # fmt: skip


@pytest.fixture
def timely(model_calls: ModelCalls, harness: Harness) -> Scope:
    """A user whose replies all came in time, and who lives in one place."""
    jobs = harness.parts.jobs
    consolidate = jobs[CONSOLIDATE]
    assert isinstance(consolidate, Consolidate)
    single = replace(consolidate, predicates=Predicates([Predicate("lives_in", single_valued=True)]))
    vars(harness.parts).update(jobs={**jobs, CONSOLIDATE: single})
    timely = somebody()
    say(harness, timely)
    model_calls.drain()
    for request in model_calls.requests():
        model_calls.close(request)
    assert [run for run in model_calls.drain() if "reconsider" not in run] == ["consolidate 1-12 ok"]
    return timely


@pytest.fixture
def late(model_calls: ModelCalls, harness: Harness, timely: Scope, scope: Scope) -> Scope:
    """A user with one chunk that was refused, retried, and answered late."""
    say(harness, scope)
    model_calls.drain()
    first, second, third = model_calls.requests()
    model_calls.close(first)
    model_calls.close(third)
    refused(harness, scope, second)
    assert [run for run in model_calls.drain() if "reconsider" not in run] == ["consolidate 1-12 ok"]
    assert believed(harness, scope) != believed(harness, timely)
    letters = harness.rows("SELECT letter, position FROM dead_letters WHERE category = 'incorrect' ORDER BY position")
    assert [position for _, position in letters] == list(LATE)
    harness.parts.records.ask_again(
        TENANT, harness.parts.records.open_dead_letters(TENANT, [letter for letter, _ in letters])
    )
    model_calls.drain()
    for request in model_calls.requests():
        model_calls.close(request)
    assert [run for run in model_calls.drain() if "reconsider" not in run] == ["consolidate 5-8 ok"]
    return scope


def test_a_late_chunk_leaves_the_same_beliefs_as_in_time(harness: Harness, timely: Scope, late: Scope) -> None:
    assert believed(harness, late) == believed(harness, timely)
    assert reviews(harness, late) == reviews(harness, timely)
    sound(harness, late)


def test_deltas_mark_late_claims_and_repeated_decisions(harness: Harness, late: Scope) -> None:
    told = harness.rows(
        "SELECT d.position, d.kind, p.payload ->> 'object', d.again IS NOT NULL, p.payload ->> 'reason' "
        "FROM deltas d JOIN delta_payloads p ON p.delta = d.id "
        "WHERE scope = %s AND (d.again IS NOT NULL OR d.stands_at IS NOT NULL) ORDER BY recorded", late.id,
    )  # fmt: skip

    again = "decided again because of a late claim"
    assert told == [
        (5, "update", "Oslo", False, "lives_in holds one value at a time"),
        (6, "noop", "Oslo", False, "no longer true"),
        (7, "noop", "Bergen", False, "new; later claims stay"),
        (8, "delete", "milk", False, "forgotten on request"),
        (11, "noop", "milk", True, f"{again}: forgotten on request, so it is not learned again"),
        (3, "update", "Faro", True, f"{again}: it was always true"),
        (9, "delete", "Porto", True, f"{again}: corrected: it was never true"),
    ]


def test_why_of_a_reopened_belief_shows_the_original_episode(harness: Harness, late: Scope) -> None:
    (faro,) = harness.rows(
        "SELECT f.fact, d.again FROM facts f JOIN deltas d ON d.id = f.fact WHERE f.scope = %s AND object = 'Faro' "
        "AND upper_inf(f.recorded)", late.id,
    )  # fmt: skip

    with harness.parts.database.tenant(TENANT) as connection:
        explained = why(connection, faro[0])

    assert explained is not None
    assert [step.delta for step in explained.steps] == [faro[1], faro[0]]
    assert [step.evidence[0].words for step in explained.steps] == ["lives in Faro", "lives in Faro"]
