"""A shift of meaning in a real scope: the old topic is consolidated, and nothing of the new one with it."""

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
from slowwave.memory import Memory, work
from slowwave.ports import Schedule
from slowwave.store.packs import registry
from slowwave.store.statements import sql
from tests.contract.desk import PACK, Desk

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
def follow(desk: Desk) -> Callable[..., None]:
    """Lets the pack come due on shifts of meaning, and on these other schedules."""

    def follow(*schedules: Schedule, shift: Schedule = SHIFT) -> None:
        packs, _ = desk.parts.schedule.registered([PACK, "_prepare"])
        with desk.parts.database.dispatch() as connection:
            registry.register(connection, packs, [shift, AGE, *schedules])

    return follow


def windows(desk: Desk, scope: Scope) -> list[tuple[Any, ...]]:
    """The windows that were consolidated, in order."""
    return desk.rows(
        "SELECT lo, hi FROM runs WHERE scope = %s AND pack = %s AND outcome = 'ok' ORDER BY run", scope.id, PACK
    )


def segments(desk: Desk, scope: Scope) -> list[tuple[Any, ...]]:
    return desk.rows(
        "SELECT session, number, first, last FROM segments WHERE scope = %s ORDER BY session, number", scope.id
    )


def test_a_shift_triggers_consolidation_of_the_old_segment_only(
    desk: Desk, scope: Scope, told: Told, follow: Callable[..., None]
) -> None:
    follow()
    desk.parts.push(scope, told(*ASYNC))
    desk.drain()
    assert windows(desk, scope) == []

    desk.parts.push(scope, told(*SCHEMA, start=len(ASYNC)))
    desk.drain()

    assert segments(desk, scope) == [("s1", 1, 1, 5)]
    assert windows(desk, scope) == [(1, 5)]
    assert {fact.object for fact in Memory(desk.parts).scope(scope.user, agent=scope.agent).facts()} == {
        "async functions in Python"
    }
    assert desk.rows("SELECT at_window FROM firings WHERE schedule = %s", SHIFT.name) == [("s1/1",)]


def test_what_is_new_waits_on_and_is_read_at_its_age(
    desk: Desk, scope: Scope, told: Told, follow: Callable[..., None]
) -> None:
    follow()
    desk.parts.push(scope, told(*ASYNC, *SCHEMA))
    desk.drain()
    desk.later(timedelta(hours=25).total_seconds())
    work.tick(desk.parts, by="scheduler@here:1")
    desk.drain()

    assert windows(desk, scope) == [(1, 5), (6, 9)]
    assert desk.rows("SELECT at_window FROM firings WHERE schedule = %s", AGE.name) == [("6",)]


def test_the_clock_asks_for_the_new_topic_too_even_while_the_old_one_has_not_been_read(
    desk: Desk, scope: Scope, told: Told, follow: Callable[..., None]
) -> None:
    follow(HOURLY)
    work.tick(desk.parts, by="scheduler@here:1")
    desk.parts.push(scope, told(*ASYNC, *SCHEMA))
    desk.settle(desk.claimed(jobs=[PREPARE]))  # the shift has fired, nobody has come for it
    desk.later(timedelta(hours=1).total_seconds())
    work.tick(desk.parts, by="scheduler@here:1")
    desk.drain()

    assert windows(desk, scope) == [(1, 5), (6, 9)]
    assert desk.rows("SELECT count(*) FROM intents WHERE pack = %s", PACK) == [(0,)]


def test_what_is_pushed_after_the_shift_does_not_join_the_old_segment(
    desk: Desk, scope: Scope, told: Told, follow: Callable[..., None]
) -> None:
    follow()
    desk.parts.push(scope, told(*ASYNC, *SCHEMA[:2]))
    desk.settle(desk.claimed(jobs=[PREPARE]))
    desk.parts.push(scope, told(*SCHEMA[2:], start=7))
    desk.drain()

    assert windows(desk, scope) == [(1, 5)]
    assert desk.windows(scope, "pending") == [(None, None, 9)]


def test_a_window_never_crosses_the_end_of_a_topic_whoever_asks(
    desk: Desk, scope: Scope, told: Told, follow: Callable[..., None]
) -> None:
    follow()
    desk.parts.push(scope, told(*ASYNC, *SCHEMA))
    work.fire(desk.parts, scope.id)
    assert desk.claim() is None, "nobody knows yet where a topic ends"

    desk.drain()

    assert windows(desk, scope) == [(1, 5), (6, 9)]


def test_a_segment_survives_the_worker_that_began_it(
    desk: Desk, scope: Scope, told: Told, follow: Callable[..., None]
) -> None:
    follow()
    for episode in told(*ASYNC, *SCHEMA):
        desk.parts.push(scope, [episode])
        vars(desk.parts).pop("jobs", None)  # as a new process would
        desk.drain()

    assert segments(desk, scope) == [("s1", 1, 1, 5)]
    assert windows(desk, scope) == [(1, 5)]


def test_sessions_side_by_side_have_topics_of_their_own(
    desk: Desk, scope: Scope, told: Told, follow: Callable[..., None]
) -> None:
    follow()
    first, second = told(*ASYNC, *SCHEMA, session="a"), told(*SCHEMA, *ASYNC, start=20, session="b")
    both = [episode for pair in zip(first, second, strict=True) for episode in pair]
    desk.parts.push(scope, both)
    desk.drain()

    # a stands at 1, 3, 5 ...; b at 2, 4, 6 ...
    assert segments(desk, scope) == [("a", 1, 1, 9), ("b", 1, 2, 8)]
    assert windows(desk, scope) == [(1, 8), (9, 9)]


def test_a_pack_whose_shifts_are_paused_does_not_wait_until_what_is_new_is_prepared(
    desk: Desk, scope: Scope, told: Told, follow: Callable[..., None]
) -> None:
    follow()
    desk.parts.schedule.pause(SHIFT.name)
    desk.parts.push(scope, told(*ASYNC, *SCHEMA))
    work.fire(desk.parts, scope.id)

    assert desk.claimed().hi == 9


def test_a_shift_that_was_read_before_it_fired_leaves_what_is_new_waiting(
    desk: Desk, scope: Scope, told: Told, follow: Callable[..., None]
) -> None:
    follow()
    desk.parts.push(scope, told(*ASYNC))
    desk.drain()
    work.fire(desk.parts, scope.id)
    desk.drain()
    desk.parts.push(scope, told(*SCHEMA, start=5))

    desk.drain()

    assert windows(desk, scope) == [(1, 5)]
    assert desk.windows(scope, "pending") == [(None, None, 9)]
    assert desk.rows("SELECT due > slowwave_now() FROM intents WHERE pack = %s", PACK) == [(True,)]


def test_a_conversation_and_its_topics_count_every_episode_once_however_preparing_is_overtaken(
    desk: Desk, scope: Scope, told: Told, follow: Callable[..., None]
) -> None:
    follow()
    desk.parts.push(scope, told(*ASYNC, *SCHEMA))
    slow = desk.claimed("ann", jobs=[PREPARE])
    plan = desk.parts.jobs[PREPARE].think(slow, desk.parts.runs)
    desk.later(desk.lease + 1)
    desk.settle(desk.claimed("bob", jobs=[PREPARE]))
    with pytest.raises(Fenced):
        desk.parts.runs.settle(slow, plan)

    assert desk.rows("SELECT session, episodes FROM conversations") == [("s1", 9)]
    assert segments(desk, scope) == [("s1", 1, 1, 5)]


def test_nothing_is_followed_where_no_pack_asks_for_it(desk: Desk, scope: Scope, told: Told) -> None:
    desk.parts.push(scope, told(*ASYNC, *SCHEMA))
    desk.drain()

    assert desk.rows("SELECT count(*) FROM topics UNION ALL SELECT count(*) FROM segments") == [(0,), (0,)]


@pytest.mark.parametrize("seed", range(3))
def test_topics_and_beliefs_do_not_depend_on_windows_and_beliefs_not_on_topics(
    desk: Desk, told: Told, follow: Callable[..., None], seed: int
) -> None:
    dice, said = random.Random(seed), [*ASYNC, *SCHEMA, *ASYNC[1:], *SCHEMA[1:], *ASYNC]
    outcomes = []
    for number, following in enumerate([False, True, True, True]):
        if following:
            follow()
        scope = Scope(f"tenant-{seed}-{number}", "alice", "concierge")
        for batch in _cut(told(*said), dice if number > 1 else None):
            desk.parts.push(scope, batch)
            desk.drain()
        work.fire(desk.parts, scope.id)
        desk.drain()
        outcomes.append((segments(desk, scope), _believed(desk.parts, scope)))

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
        rows = connection.exec_driver_sql(sql("beliefs/digest"), {"scope": scope.id})
        return repr(sorted(str(tuple(row)[1:]) for row in rows))
