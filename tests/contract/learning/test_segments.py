"""A semantic shift in a scope: only the segment that ended is consolidated."""

import random
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE, PREPARE
from slowwave.domain.scope import Scope
from slowwave.errors import Fenced
from slowwave.jobs.prepare import Prepare
from slowwave.memory import Memory, due_work
from slowwave.ports import Schedule
from slowwave.store import packs as registry
from slowwave.store.statements import sql
from tests.contract.harness import PACK, Harness

Told = Callable[..., list[Episode]]

ASYNC = [
    "I like async functions in Python.",
    "An async function returns a coroutine.",
    "The event loop awaits the coroutine.",
    "I use asyncio to run async tasks in the event loop.",
    "Async tasks in the event loop await other coroutines.",
]
SCHEMA = [
    "The database schema has a users table with a primary key.",
    "I love Postgres tables with foreign keys.",
    "The orders table has an index on the database schema.",
    "A foreign key joins the orders table to the users table.",
]
SHIFT = Schedule(
    f"{PACK}/semantic_shift", CONSOLIDATE, PACK, "semantic_shift", threshold=0.55, min_events=3, reference="segment"
)
AGE = Schedule(f"{PACK}/age", CONSOLIDATE, PACK, "age", seconds=86_400.0)
HOURLY = Schedule(f"{PACK}/interval", CONSOLIDATE, PACK, "interval", seconds=3600.0)


@pytest.fixture
def follow(harness: Harness) -> Callable[..., None]:
    """Lets the pack come due on shifts of meaning, and on these other schedules."""

    def follow(*schedules: Schedule, shift: Schedule = SHIFT) -> None:
        packs, _ = harness.parts.schedule.registered([PACK, "_prepare"])
        with harness.parts.database.dispatch() as connection:
            registry.register(connection, packs, [shift, AGE, *schedules])

    return follow


def windows(harness: Harness, scope: Scope) -> list[tuple[Any, ...]]:
    """The windows that were consolidated, in order."""
    return harness.rows(
        "SELECT lo, hi FROM runs WHERE scope = %s AND pack = %s AND outcome = 'ok' ORDER BY run", scope.id, PACK
    )


def segments(harness: Harness, scope: Scope) -> list[tuple[Any, ...]]:
    return harness.rows(
        "SELECT session, number, first, last FROM segments WHERE scope = %s ORDER BY session, number", scope.id
    )


def test_a_shift_triggers_consolidation_of_the_old_segment_only(
    harness: Harness, scope: Scope, told: Told, follow: Callable[..., None]
) -> None:
    follow()
    harness.parts.push(scope, told(*ASYNC))
    harness.drain()
    assert windows(harness, scope) == []

    harness.parts.push(scope, told(*SCHEMA, start=len(ASYNC)))
    harness.drain()

    assert segments(harness, scope) == [("s1", 1, 1, 5)]
    assert windows(harness, scope) == [(1, 5)]
    learned = Memory(harness.parts).scope(scope.user, agent=scope.agent).facts()
    assert "async functions in Python" in {fact.object for fact in learned}
    assert {source.position for fact in learned for source in fact.sources} <= {1, 2, 3, 4, 5}
    assert harness.rows("SELECT at_window FROM firings WHERE schedule = %s", SHIFT.name) == [("s1/1",)]


def test_an_open_segment_is_read_at_its_greatest_age(
    harness: Harness, scope: Scope, told: Told, follow: Callable[..., None]
) -> None:
    follow()
    harness.parts.push(scope, told(*ASYNC, *SCHEMA))
    harness.drain()
    harness.later(timedelta(hours=25).total_seconds())
    due_work.tick(harness.parts, by="scheduler@here:1")
    harness.drain()

    assert windows(harness, scope) == [(1, 5), (6, 9)]
    assert harness.rows("SELECT at_window FROM firings WHERE schedule = %s", AGE.name) == [("6",)]


def test_the_age_trigger_also_covers_a_new_segment_behind_an_unread_one(
    harness: Harness, scope: Scope, told: Told, follow: Callable[..., None]
) -> None:
    follow(HOURLY)
    due_work.tick(harness.parts, by="scheduler@here:1")
    harness.parts.push(scope, told(*ASYNC, *SCHEMA))
    harness.settle(harness.claimed(jobs=[PREPARE]))  # the shift has fired, and no worker has claimed its run
    harness.later(timedelta(hours=1).total_seconds())
    due_work.tick(harness.parts, by="scheduler@here:1")
    harness.drain()

    assert windows(harness, scope) == [(1, 5), (6, 9)]
    assert harness.rows("SELECT count(*) FROM intents WHERE pack = %s", PACK) == [(0,)]


def test_episodes_after_a_shift_do_not_join_the_old_segment(
    harness: Harness, scope: Scope, told: Told, follow: Callable[..., None]
) -> None:
    follow()
    harness.parts.push(scope, told(*ASYNC, *SCHEMA[:2]))
    harness.settle(harness.claimed(jobs=[PREPARE]))
    harness.parts.push(scope, told(*SCHEMA[2:], start=7))
    harness.drain()

    assert windows(harness, scope) == [(1, 5)]
    assert harness.windows(scope, "pending") == [(None, None, 9)]


def test_a_window_never_crosses_the_end_of_a_segment(
    harness: Harness, scope: Scope, told: Told, follow: Callable[..., None]
) -> None:
    follow()
    harness.parts.push(scope, told(*ASYNC, *SCHEMA))
    due_work.fire(harness.parts, scope.id)
    assert harness.claim() is None, "nobody knows yet where a topic ends"

    harness.drain()

    assert windows(harness, scope) == [(1, 5), (6, 9)]


def test_a_segment_continues_in_another_process(
    harness: Harness, scope: Scope, told: Told, follow: Callable[..., None]
) -> None:
    follow()
    for episode in told(*ASYNC, *SCHEMA):
        harness.parts.push(scope, [episode])
        vars(harness.parts).pop("jobs", None)  # as a new process would
        harness.drain()

    assert segments(harness, scope) == [("s1", 1, 1, 5)]
    assert windows(harness, scope) == [(1, 5)]


def test_interleaved_sessions_have_their_own_topics(
    harness: Harness, scope: Scope, told: Told, follow: Callable[..., None]
) -> None:
    follow()
    first, second = told(*ASYNC, *SCHEMA, session="a"), told(*SCHEMA, *ASYNC, start=20, session="b")
    both = [episode for pair in zip(first, second, strict=True) for episode in pair]
    harness.parts.push(scope, both)
    harness.drain()

    # a stands at 1, 3, 5 ...; b at 2, 4, 6 ...
    assert segments(harness, scope) == [("a", 1, 1, 9), ("b", 1, 2, 8)]
    assert windows(harness, scope) == [(1, 8), (9, 9)]


def test_a_pack_with_paused_shifts_does_not_wait_for_preparing(
    harness: Harness, scope: Scope, told: Told, follow: Callable[..., None]
) -> None:
    follow()
    harness.parts.schedule.pause(SHIFT.name)
    harness.parts.push(scope, told(*ASYNC, *SCHEMA))
    due_work.fire(harness.parts, scope.id)

    assert harness.claimed().hi == 9


def test_a_segment_read_before_its_shift_fires_is_not_read_again(
    harness: Harness, scope: Scope, told: Told, follow: Callable[..., None]
) -> None:
    follow()
    harness.parts.push(scope, told(*ASYNC))
    harness.drain()
    due_work.fire(harness.parts, scope.id)
    harness.drain()
    harness.parts.push(scope, told(*SCHEMA, start=5))

    harness.drain()

    assert windows(harness, scope) == [(1, 5)]
    assert harness.windows(scope, "pending") == [(None, None, 9)]
    assert harness.rows("SELECT due > slowwave_now() FROM intents WHERE pack = %s", PACK) == [(True,)]


def test_a_repeated_preparation_counts_each_episode_once(
    harness: Harness, scope: Scope, told: Told, follow: Callable[..., None]
) -> None:
    follow()
    harness.parts.push(scope, told(*ASYNC, *SCHEMA))
    slow = harness.claimed("ann", jobs=[PREPARE])
    plan = harness.think(slow)
    harness.later(harness.lease + 1)
    harness.settle(harness.claimed("bob", jobs=[PREPARE]))
    with pytest.raises(Fenced):
        harness.parts.runs.settle(slow, plan)

    assert harness.rows("SELECT session, episodes FROM conversations") == [("s1", 9)]
    assert segments(harness, scope) == [("s1", 1, 1, 5)]


def test_segments_are_tracked_only_if_a_pack_uses_them(harness: Harness, scope: Scope, told: Told) -> None:
    harness.parts.push(scope, told(*ASYNC, *SCHEMA))
    harness.drain()

    assert harness.rows("SELECT count(*) FROM running_segments UNION ALL SELECT count(*) FROM segments") == [(0,), (0,)]


def test_a_claimed_run_says_whether_its_scope_is_segmented(
    harness: Harness, scope: Scope, told: Told, follow: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.parts.push(scope, told(*ASYNC))
    plain = harness.claimed(jobs=[PREPARE])
    harness.settle(plain)
    follow()
    harness.parts.push(scope, told(*SCHEMA, start=5))

    assert (plain.segmented, harness.claimed(jobs=[PREPARE]).segmented) == (False, True)
    monkeypatch.setattr(harness.parts.database, "tenant", None)
    prepare = harness.parts.jobs[PREPARE]
    assert isinstance(prepare, Prepare)
    assert prepare.segments.graphs(plain, {"s1"}) == {}


@pytest.mark.parametrize("seed", range(3))
def test_topics_and_beliefs_do_not_depend_on_windows_and_beliefs_not_on_topics(
    harness: Harness, told: Told, follow: Callable[..., None], seed: int
) -> None:
    dice, said = random.Random(seed), [*ASYNC, *SCHEMA, *ASYNC[1:], *SCHEMA[1:], *ASYNC]
    outcomes = []
    for number, following in enumerate([False, True, True, True]):
        if following:
            follow()
        scope = Scope(f"tenant-{seed}-{number}", "alice", "concierge")
        for batch in _cut(told(*said), dice if number > 1 else None):
            harness.parts.push(scope, batch)
            harness.drain()
        due_work.fire(harness.parts, scope.id)
        harness.drain()
        outcomes.append((segments(harness, scope), _believed(harness.parts, scope)))

    assert len({repr(found) for found, _ in outcomes[1:]}) == 1
    assert len(outcomes[1][0]) >= 3
    assert len({believed for _, believed in outcomes}) == 1


def _cut(episodes: list[Episode], dice: random.Random | None) -> Sequence[list[Episode]]:
    if dice is None:
        return [episodes]
    cuts = sorted(dice.sample(range(1, len(episodes)), 5))
    return [episodes[lo:hi] for lo, hi in zip([0, *cuts], [*cuts, len(episodes)], strict=True)]


def _believed(parts: wiring.Parts, scope: Scope) -> str:
    with parts.database.tenant(scope.tenant) as connection:
        rows = connection.exec_driver_sql(sql("beliefs/digest"), {"scopes": [scope.id]})
        return repr(sorted(str(tuple(row)[1:]) for row in rows))
