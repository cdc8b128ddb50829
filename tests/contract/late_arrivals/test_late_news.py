"""News that is read late, or after a late episode, leaves the same beliefs as in time."""

import random
from collections.abc import Sequence
from datetime import timedelta

import pytest

from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE
from slowwave.domain.scope import Scope
from slowwave.memory import due_work
from tests.contract.harness import Harness, somebody
from tests.contract.late_arrivals.comparing import reviews, same, sound
from tests.contract.late_arrivals.test_late_episodes import retry, tell
from tests.contract.news.harness import NOON, episodes, life
from tests.unit.tables import table

STORIES: dict[str, list[str]] = table(__file__)


def endings(harness: Harness, scope: Scope) -> list[tuple[object, ...]]:
    """Return the beliefs that later news ended, each with the position of the news."""
    return harness.rows(
        "SELECT f.text, upper(f.valid), d.position FROM facts f JOIN deltas d ON d.id = f.ended_by "
        "WHERE f.scope = %s AND upper_inf(f.recorded) AND d.position > f.position ORDER BY 1, 2, 3",
        scope.id,
    )


@pytest.mark.parametrize("seed", range(4))
def test_any_partly_late_history_leaves_the_same_beliefs_as_in_time(harness: Harness, scope: Scope, seed: int) -> None:
    said, timely = life(seed, passing=False, length=5), somebody()
    tell(harness, timely, said)
    tell(harness, scope, said, buried=random.Random(seed).randint(1, len(said)))

    retry(harness)

    same(harness, scope, timely)
    assert endings(harness, scope) == endings(harness, timely)


@pytest.mark.parametrize("late", [False, True])
def test_an_earlier_dated_claim_turns_certain_news_into_a_review(harness: Harness, scope: Scope, late: bool) -> None:
    said = ["I drive a Honda", "I drive a Toyota", "I sold the Toyota", "I sold my car", "I like tea"]
    consolidate(harness, scope, episodes(said), buried=[2, 3])
    for number in (2, 3):
        retry(harness, position=number)
    assert decided_again(harness, scope) == ["assert", "end"]

    before = NOON - timedelta(days=1)
    seat, milk = (
        Episode(content=one, key=f"k{number}", session="s1", occurred_at=before)
        for number, one in enumerate(["I drive a Seat", "I like milk"], 6)
    )
    consolidate(harness, scope, [seat, milk], buried=[6] if late else [])
    if late:
        retry(harness, position=6)

    assert lasting(harness, scope) == ["Honda", "Seat", "milk", "tea"]
    assert [reason for _, reason, _ in reviews(harness, scope)] == ["news that could mean any of 2 beliefs"]
    sound(harness, scope)


def consolidate(harness: Harness, scope: Scope, told: Sequence[Episode], *, buried: Sequence[int]) -> None:
    """Consolidate the episodes one by one; those with *buried* numbers meet a fault."""
    for episode in told:
        harness.parts.push(scope, [episode])
        due_work.fire(harness.parts, scope.id)
        if int(str(episode.key)[1:]) in buried:
            run = harness.claimed(scope=scope, jobs=[CONSOLIDATE])
            harness.parts.runs.bury(run, category="fault", reason="LookupError at nowhere.py:1")
        harness.drain()


def decided_again(harness: Harness, scope: Scope) -> list[str]:
    """Return the modes of the decisions that replaced the first ones about the news in the fourth episode."""
    return harness.column(
        "SELECT mode FROM deltas WHERE scope = %s AND position = 4 AND again IS NOT NULL ORDER BY recorded", scope.id
    )


def lasting(harness: Harness, scope: Scope) -> list[str]:
    """Return the objects of the typed beliefs that still hold."""
    return harness.column(
        "SELECT object FROM facts WHERE scope = %s AND upper_inf(recorded) AND upper_inf(valid) AND form = 'typed' "
        "ORDER BY object",
        scope.id,
    )
