"""A dead letter that is read late leaves the same beliefs as an episode read in time."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from slowwave.domain.delta import DeleteDelta
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE
from slowwave.domain.scope import Scope
from slowwave.memory import due_work
from slowwave.store.beliefs.manual_corrections import apply_delta
from tests.contract.harness import Harness, somebody
from tests.contract.late_arrivals.comparing import believed, same, sound
from tests.unit.tables import table

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
STORIES: dict[str, list[str]] = table(__file__)


def episodes(said: Sequence[str]) -> list[Episode]:
    """Return episodes of one user, a minute apart; `@Ben` begins a text of Ben."""
    return [
        Episode(
            content=one.split(" ", 1)[1] if one[0] == "@" else one, key=f"k{number}", session="s1",
            occurred_at=NOON + number * timedelta(minutes=1),
            metadata={"speaker": one.split(" ")[0][1:]} if one[0] == "@" else {},
        )
        for number, one in enumerate(said, 1)
    ]  # fmt: skip


def tell(
    harness: Harness, scope: Scope, said: Sequence[str], *, buried: int | None = None, at_once: bool = False
) -> None:
    """Consolidate the episodes one by one; a fault makes the *buried* one a dead letter.

    Those before it are consolidated *at_once*, and those after it.
    """
    told, lost = episodes(said), (buried or 0) - 1
    windows = [told[:lost], told[lost : lost + 1], told[lost + 1 :]] if at_once else [[one] for one in told]
    for window in filter(None, windows):
        harness.parts.push(scope, window)
        due_work.fire(harness.parts, scope.id)
        if window[0].key == f"k{buried}":
            run = harness.claimed(scope=scope, jobs=[CONSOLIDATE])
            harness.parts.runs.bury(run, category="fault", reason="LookupError at nowhere.py:1")
        harness.drain()


def retry(harness: Harness, *, position: int | None = None) -> None:
    """Retry every open dead letter, or the one at *position*."""
    harness.retry(position=position)
    harness.drain()


@pytest.mark.accept
def test_a_late_episode_leaves_the_same_beliefs_as_in_time(harness: Harness) -> None:
    for story, said in STORIES.items():
        timely = somebody()
        tell(harness, timely, said)
        for late in range(1, len(said) + 1):
            scope = somebody()
            tell(harness, scope, said, buried=late)

            retry(harness)

            same(harness, scope, timely, case=(story, late))


def strike(harness: Harness, scope: Scope, object_: str) -> None:
    """Delete by hand the held facts about *object_*."""
    facts = harness.rows(
        "SELECT fact FROM facts WHERE scope = %s AND object = %s AND upper_inf(recorded)", scope.id, object_
    )
    delta = DeleteDelta(
        source_episode_ids=[str(scope.episode_id("k2"))],
        promotion_ts=NOON,
        rule_id="by/hand",
        confidence=1.0,
        replaces=[str(fact) for (fact,) in facts],
    )
    with harness.parts.database.tenant(scope.tenant) as connection:
        apply_delta(connection, scope, delta, harness.parts.embedder, harness.parts.predicates)


@pytest.mark.parametrize("late", [1, 2])
def test_a_manual_withdrawal_outlives_a_late_source(harness: Harness, scope: Scope, late: int) -> None:
    said = ["I like tea", "I like tea", "I like milk"]
    timely = somebody()
    tell(harness, timely, said)
    strike(harness, timely, "tea")
    tell(harness, scope, said, buried=late)
    strike(harness, scope, "tea")

    retry(harness)

    assert believed(harness, scope) == believed(harness, timely)
    assert [belief[2] for belief in believed(harness, scope)] == ["milk"]
    sound(harness, timely, scope)
