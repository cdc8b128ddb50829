"""A chunk whose reply comes after its window was applied is folded in its place."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from slowwave.core.predicates import Predicate, Predicates
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE
from slowwave.domain.scope import Scope
from slowwave.jobs.consolidate import Consolidate
from slowwave.memory import due_work
from slowwave.store.beliefs.why import why
from tests.contract.harness import Harness, somebody
from tests.contract.late_arrivals.comparing import believed, reviews, sound
from tests.contract.model_calls.harness import TENANT, ModelCalls
from tests.contract.model_calls.scripted_models import TALK

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
SAID = (
    ("lives in Lisbon", "likes tea", "lives in Faro", "likes milk"),
    ("lives in Oslo", "left Oslo", "lives in Bergen", "forgets milk"),
    ("meant Porto", "lives in Rome", "likes milk", "left Bergen"),
)
"""Three chunks; in the second a move between two others, an ending, and what is not to be learned again."""
LATE = range(5, 9)


def say(harness: Harness, scope: Scope) -> None:
    """Push the three chunks, a turn a minute, and ask for what is due by it."""
    turns = [turn for chunk in SAID for turn in chunk]
    said = [
        Episode(content=turn, key=f"k{number}", session="s1", occurred_at=NOON + number * timedelta(minutes=1))
        for number, turn in enumerate(turns, 1)
    ]
    harness.parts.push(scope, said)
    due_work.fire(harness.parts, scope.id)


def refused(harness: Harness, scope: Scope, request: str) -> None:
    """Let a request die, and wake the window that waits for it."""
    harness.rows("UPDATE model_requests SET state = 'dead', reason = 'refused: 400' WHERE request = %s", request)
    harness.rows(
        "SELECT slowwave_ask(ARRAY[ROW(%s, 'default', 'consolidate', %s, 0, slowwave_now(), true, NULL, NULL, NULL)"
        "::slowwave_work])", scope.id, TALK,
    )  # fmt: skip


@pytest.fixture
def timely(model_calls: ModelCalls, harness: Harness) -> Scope:
    """Somebody whose replies all came in time, where nobody lives in two places."""
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
    """Somebody of whom one chunk was refused, taken up again, and answered late."""
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

    again = "decided again, after a claim that came late"
    assert told == [
        (5, "update", "Oslo", False, "lives_in holds one value at a time"),
        (6, "noop", "Oslo", False, "no longer so"),
        (7, "noop", "Bergen", False, "new; what was told later stands"),
        (8, "delete", "milk", False, "forgotten on request"),
        (11, "noop", "milk", True, f"{again}: forgotten on request, so it is not learned again"),
        (3, "update", "Faro", True, f"{again}: it was true all along"),
        (9, "delete", "Porto", True, f"{again}: corrected: it never was so"),
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
