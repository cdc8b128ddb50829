"""The schedule: each window fires once, despite faults of schedulers and clocks, and only for scopes with work."""

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from sqlalchemy import Connection

from slowwave import wiring
from slowwave.core.cadence import Turn
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE
from slowwave.domain.scope import Scope
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.errors import NotFound
from slowwave.jobs.tick import Tick, listing, tick
from slowwave.ports import Schedule
from slowwave.settings import Settings
from slowwave.store import packs
from slowwave.store.database import Database
from slowwave.store.packs import PackEntry
from slowwave.store.schedule.schedule import SYSTEM_SCOPE, PostgresSchedule
from slowwave.store.statements import sql
from slowwave.testing import move_clock, stop_clock
from tests.databases import copied
from tests.plans import touched
from tests.scripts import script
from tests.unit.tables import table

Told = Callable[..., list[Episode]]
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
NIGHT = datetime(2026, 3, 3, 3, 0, 1, tzinfo=UTC)
EVENING, DAY, MINUTE = NIGHT - timedelta(hours=6), timedelta(days=1), timedelta(minutes=1)
PACK = PackEntry("night", CONSOLIDATE, 1, b"night")
AGE = Schedule("night/age", CONSOLIDATE, "night", "age", seconds=DAY.total_seconds())
COUNT = Schedule("night/count", CONSOLIDATE, "night", "count", every=3)
NIGHTLY = Schedule("night/cron", CONSOLIDATE, "night", "cron", cron="0 3 * * *", zone="UTC")
QUARTERLY = Schedule("night/interval", CONSOLIDATE, "night", "interval", seconds=900.0)


class World:
    """A database with the pack `night`, its clock, and schedulers; the scope of one user."""

    def __init__(self, url: str, owner_url: str, scope: Scope) -> None:
        self.url, self.owner_url, self.scope = url, owner_url, scope
        self.database = Database(url)
        self.store = PostgresSchedule(self.database, lease_seconds=60)
        self.parts = wiring.Parts(Settings.load(url=url), url)
        self.at(EVENING)

    def at(self, time: datetime) -> None:
        stop_clock(self.owner_url, time)

    def on(self, *schedules: Schedule) -> None:
        """Set these schedules of the pack, and compute their next windows."""
        with self.database.dispatch() as connection:
            packs.register(connection, [PACK], schedules)
        self.tick()

    def tick(self, by: str = "scheduler@here:1") -> Tick:
        return tick(self.store, by=by)

    def tell(self, *sentences: str, start: int = 0, scope: Scope | None = None) -> None:
        """Push these sentences, numbered from *start*, a minute apart from noon on."""
        self.parts.push(
            scope or self.scope,
            [
                Episode(content=one, key=f"e{n}", session="s1", occurred_at=NOON + n * MINUTE)
                for n, one in enumerate(sentences, start)
            ],
        )

    def rows(self, query: str, *parameters: Any) -> list[dict[str, Any]]:
        with self.database.dispatch() as connection:
            cursor = connection.exec_driver_sql(query, parameters)
            return [dict(row) for row in cursor.mappings()]

    def firings(self, schedule: str) -> list[tuple[uuid.UUID, str]]:
        rows = self.rows("SELECT scope, at_window FROM firings WHERE schedule = %s ORDER BY at_window, scope", schedule)
        return [(row["scope"], row["at_window"]) for row in rows]

    def claim(self, scope: Scope | None = None) -> Any:
        return self.parts.runs.claim(
            owner="worker@here:2", scope=scope.id if scope else None, jobs=[CONSOLIDATE], overdue_seconds=0
        )


@contextmanager
def living(url: str, owner_url: str, scope: Scope) -> Iterator[World]:
    """Give a world on a database."""
    world = World(url, owner_url, scope)
    with closing(world.database), closing(world.parts):
        yield world


@pytest.fixture
def world(url: str, owner_url: str, scope: Scope) -> Iterator[World]:
    with living(url, owner_url, scope) as world:
        yield world


def scopes(count: int) -> list[Scope]:
    return [Scope("default", f"user-{number}", "concierge") for number in range(count)]


def test_a_window_fires_for_scopes_with_work_and_once_for_the_installation(world: World) -> None:
    world.on(NIGHTLY, AGE)
    world.tell("I live in Oslo")
    idle = Scope("default", "idle", "concierge")
    world.tell("I live in Rome", scope=idle)
    world.rows("DELETE FROM intents WHERE scope = %s", idle.id)

    before = world.tick()
    world.at(NIGHT)
    night = world.tick()

    assert (before.fired, before.due) == ((), ())
    assert [(one.schedule, one.keys, one.scopes) for one in night.fired] == [
        ("night/cron", ("2026-03-03T03:00+00:00",), 1)
    ]
    assert [(due.scope, due.job) for due in night.due] == [(world.scope.id, CONSOLIDATE)]
    assert world.firings("night/cron") == [
        (SYSTEM_SCOPE, "2026-03-03T03:00+00:00"),
        (world.scope.id, "2026-03-03T03:00+00:00"),
    ]


def test_three_schedulers_side_by_side_fire_every_window_once(world: World, url: str) -> None:
    world.on(NIGHTLY, QUARTERLY)
    for one in scopes(5):
        world.tell("I live in Oslo", scope=one)
    databases = [Database(url) for _ in range(3)]
    start = threading.Barrier(3)
    seen: list[Tick] = []

    def run(number: int) -> None:
        store = PostgresSchedule(databases[number], lease_seconds=60)
        for _ in range(8):
            start.wait()
            seen.append(tick(store, by=f"scheduler@{number}:1"))

    for hour in range(4):
        world.at(NIGHT + timedelta(hours=hour))
        threads = [threading.Thread(target=run, args=[number]) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for database in databases:
        database.close()

    fired = [(one.schedule, key) for done in seen for one in done.fired for key in one.keys]
    assert not [problem for done in seen for problem in done.problems]
    assert len(fired) == len(set(fired)) == 1 + 6 * 4 + 3 * 4
    nightly = {"night/cron", "night/interval"}
    assert sum(one.scopes for done in seen for one in done.fired if one.schedule in nightly) == 5


class Killed(Exception):
    """An exception that stops a scheduler just before its commit."""


class Dying(Database):
    """A database whose transactions do not commit."""

    @contextmanager
    def dispatch(self) -> Iterator[Connection]:
        with super().dispatch() as connection:
            yield connection
            raise Killed


def test_a_scheduler_killed_before_the_commit_leaves_nothing_and_the_next_fires_it_all(world: World, url: str) -> None:
    world.on(NIGHTLY)
    world.tell("I live in Oslo")
    world.at(NIGHT)
    dying = Dying(url)
    due_before = world.rows("SELECT next_due FROM schedules WHERE schedule = 'night/cron'")

    with pytest.raises(Killed):
        PostgresSchedule(dying, lease_seconds=60).fire("night/cron", _fires("a", "b"), by="doomed@here:1")
    dying.close()

    assert world.firings("night/cron") == []
    assert world.rows("SELECT hastened FROM intents WHERE scope = %s", world.scope.id) == [{"hastened": False}]
    assert world.rows("SELECT next_due FROM schedules WHERE schedule = 'night/cron'") == due_before
    assert [one.scopes for one in world.tick().fired] == [1]


def _fires(*keys: str) -> Callable[[Schedule, datetime], Turn]:
    return lambda schedule, now: Turn(keys, now + DAY)


def test_a_tick_that_was_committed_is_not_repeated_by_the_scheduler_that_comes_back(world: World) -> None:
    world.on(NIGHTLY)
    world.tell("I live in Oslo")
    world.at(NIGHT)
    world.tick()

    again = world.tick(by="scheduler@here:99")

    assert again.fired == ()
    assert [due.scope for due in again.due] == [world.scope.id]  # the first notification was lost: it is sent again


def test_a_window_that_has_fired_does_not_fire_for_work_that_came_after_it(world: World) -> None:
    world.on(NIGHTLY)
    world.at(NIGHT)
    world.tick()
    world.tell("I live in Oslo")
    world.rows("UPDATE schedules SET next_due = %s", NIGHT.replace(second=0))  # as if the clock had been set back

    again = world.tick()

    assert (again.fired, again.due) == ((), ())
    assert [one for one, _ in world.firings("night/cron")] == [SYSTEM_SCOPE]


def test_nights_without_a_scheduler_are_caught_up_at_once(world: World) -> None:
    world.on(NIGHTLY)
    world.tell("I live in Oslo")
    world.at(NIGHT + 3 * DAY)

    fired = world.tick().fired

    keys = tuple(f"2026-03-0{day}T03:00+00:00" for day in (3, 4, 5, 6))
    assert [(one.keys, one.scopes) for one in fired] == [(keys, 1)]
    assert [key for one, key in world.firings("night/cron") if one == world.scope.id] == [keys[-1]]


def test_nights_without_a_scheduler_can_be_skipped_but_a_late_tick_is_not_a_missed_one(world: World) -> None:
    world.on(replace(NIGHTLY, missed="skip"))
    world.tell("I live in Oslo")

    world.at(NIGHT + 2 * DAY + timedelta(hours=1))
    skipped = world.tick()
    world.at(NIGHT + 3 * DAY + timedelta(seconds=50))
    late = world.tick()

    assert skipped.fired == ()
    assert [one.keys for one in late.fired] == [("2026-03-06T03:00+00:00",)]


def test_a_year_of_missed_seconds_is_not_counted_through(world: World) -> None:
    world.on(replace(QUARTERLY, seconds=1.0))

    world.at(NIGHT + 365 * DAY)

    assert [len(one.keys) for one in world.tick().fired] == [1000]
    assert world.tick().fired == ()


def test_work_below_the_count_becomes_due_at_its_age(world: World) -> None:
    world.on(COUNT, AGE)
    world.tell("I live in Oslo")
    world.at(EVENING + DAY / 2)
    world.tell("I work at Acme", start=1)
    world.at(EVENING + DAY - MINUTE)
    early = world.tick()

    world.at(EVENING + DAY)
    due = world.tick()
    again = world.tick()

    assert (early.fired, early.due) == ((), ())
    assert [(one.schedule, one.scopes) for one in due.fired] == [("night/age", 1)]
    assert again.fired == ()
    assert world.firings("night/age") == [(world.scope.id, "1")]
    assert [(run.lo, run.hi) for run in [world.claim()]] == [(1, 2)]


def test_a_worker_that_sees_aged_work_before_any_scheduler_writes_its_firing(world: World) -> None:
    world.on(COUNT, AGE)
    world.tell("I live in Oslo")
    assert world.claim() is None
    world.at(EVENING + DAY)

    assert world.claim() is not None

    assert world.firings("night/age") == [(world.scope.id, "1")]
    assert world.tick().fired == ()


def test_a_due_count_needs_no_age_trigger(world: World) -> None:
    world.on(COUNT, AGE)
    world.tell("one", "two", "three")
    world.at(EVENING + DAY)

    assert world.tick().fired == ()
    assert world.firings("night/count") == [(world.scope.id, "3")]
    assert world.firings("night/age") == []


def test_the_oldest_work_is_announced_first_and_each_scope_once_a_job(world: World) -> None:
    world.on(COUNT)
    people = scopes(4)
    for minute, one in enumerate(people):
        world.at(EVENING - minute * MINUTE)
        world.tell("one", "two", "three", scope=one)
    world.at(EVENING)

    due = world.store.runnable(most=3)

    assert [one.scope for one in due] == [one.id for one in reversed(people[1:])]
    assert [one.since for one in due] == sorted(one.since for one in due)


def test_work_in_hand_is_not_announced_until_its_lease_has_ended(world: World) -> None:
    world.on(COUNT)
    world.tell("one", "two", "three")
    assert len(world.tick().due) == 1
    assert world.claim() is not None

    held = world.tick()
    world.at(EVENING + timedelta(seconds=61))
    ended = world.tick()

    assert held.due == ()
    assert [(due.scope, due.job) for due in ended.due] == [(world.scope.id, CONSOLIDATE)]


def test_a_lease_that_a_clock_gone_back_left_in_the_future_counts_as_ended(world: World) -> None:
    world.on(COUNT)
    world.tell("one", "two", "three")
    world.at(EVENING + timedelta(hours=1))
    assert world.claim() is not None

    world.at(EVENING + timedelta(hours=1) - MINUTE * 10)
    world.rows("UPDATE intents SET due = %s", EVENING)

    assert [due.scope for due in world.tick().due] == [world.scope.id]


def test_requested_work_that_a_clock_gone_back_left_in_the_future_is_due_at_the_next_tick(world: World) -> None:
    world.on(COUNT)
    world.at(EVENING + timedelta(hours=1))
    world.tell("one", "two", "three")
    world.at(EVENING)

    assert world.claim() is None
    assert [due.scope for due in world.tick().due] == [world.scope.id]
    assert world.claim() is not None


@pytest.mark.parametrize("put_off", [False, True])
def test_a_run_that_a_clock_gone_back_left_in_the_future_is_due_at_the_next_tick(world: World, put_off: bool) -> None:
    world.on(COUNT)
    world.at(EVENING + timedelta(hours=1))
    world.tell("one", "two", "three")
    begun = world.claim()
    if put_off:
        world.parts.runs.put_off(begun, "a fault of ours", wait_seconds=300)
    world.at(EVENING)

    assert [due.scope for due in world.tick().due] == [world.scope.id]
    again = world.claim()
    assert (again.intent, again.lo, again.hi) == (begun.intent, begun.lo, begun.hi)

    world.parts.runs.put_off(again, "a fault of ours", wait_seconds=300)
    assert world.tick().due == ()  # by a correct clock it waits


def test_a_paused_schedule_does_not_fire_and_skips_the_paused_windows(world: World) -> None:
    world.on(NIGHTLY)
    world.tell("I live in Oslo")
    world.store.pause("night/cron")
    world.at(NIGHT)
    paused = world.tick()

    world.store.resume("night/cron")
    resumed = world.tick()
    world.at(NIGHT + DAY)

    assert paused.fired == resumed.fired == ()
    assert [one.keys for one in world.tick().fired] == [("2026-03-04T03:00+00:00",)]


def test_a_resumed_age_trigger_counts_from_the_resumption(world: World) -> None:
    world.on(COUNT, AGE)
    world.tell("I live in Oslo")
    world.store.pause("night/age")
    world.tell("I work at Acme", start=1)
    world.at(EVENING + 2 * DAY)
    assert world.tick().due == ()
    assert world.claim() is None

    world.store.resume("night/age")
    world.at(EVENING + 3 * DAY)

    assert [(one.schedule, one.scopes) for one in world.tick().fired] == [("night/age", 1)]


def test_pausing_an_unknown_schedule_is_an_error(world: World) -> None:
    with pytest.raises(NotFound, match="nightly"):
        world.store.pause("nightly")


@pytest.mark.parametrize("hours", [1, -1])
def test_a_clock_that_is_an_hour_wrong_for_a_while_fires_no_window_twice(world: World, hours: int) -> None:
    world.on(NIGHTLY, QUARTERLY)
    world.tell("I live in Oslo")
    for minute in range(0, 24 * 60, 20):
        wrong = hours if 7 * 60 <= minute < 8 * 60 or 300 <= minute < 400 else 0
        world.at(EVENING + timedelta(minutes=minute, hours=wrong))
        world.tick()

    keys = [key for one, key in world.firings("night/cron") if one == SYSTEM_SCOPE]
    quarters = [int(key.split("x")[0]) for one, key in world.firings("night/interval") if one == SYSTEM_SCOPE]
    assert keys == ["2026-03-03T03:00+00:00"]
    assert quarters == list(range(quarters[0], quarters[0] + len(quarters)))
    assert len(quarters) == (23 * 60 + 40) // 15


def test_a_clock_that_was_years_ahead_does_not_stop_the_nights_for_years(world: World) -> None:
    world.on(replace(NIGHTLY, missed="skip"))
    world.at(NIGHT + 900 * DAY + timedelta(hours=2))
    world.tick()
    world.at(NIGHT)

    world.tick()
    world.at(NIGHT + DAY)

    assert [one.keys for one in world.tick().fired] == [("2026-03-04T03:00+00:00",)]


def test_move_clock_shifts_a_running_clock(world: World, owner_url: str) -> None:
    move_clock(owner_url, timedelta(hours=-5))
    behind = world.store.now()
    move_clock(owner_url, timedelta(hours=5))
    ahead = world.store.now()

    assert timedelta(hours=10) <= ahead - behind < timedelta(hours=11)


def test_orphaned_work_is_found_and_no_other(world: World) -> None:
    world.on(COUNT, AGE)
    lost, waiting, done = scopes(3)
    for one in (lost, waiting, done):
        world.tell("I live in Oslo", scope=one)
    world.rows("DELETE FROM intents WHERE scope = ANY(%s)", [lost.id, done.id])
    world.rows("UPDATE watermarks SET position = 1, planned = 1 WHERE scope = %s", done.id)

    assert [(due.scope, due.job) for due in world.store.orphans(by="ann")] == [(lost.id, CONSOLIDATE)]
    assert world.store.orphans(by="ann") == []
    assert [due.scope for due in world.tick().due] == [lost.id]
    assert world.firings("night/orphan") == [(lost.id, "1")]


def test_manual_firing_makes_existing_work_due_and_keeps_the_next_window(world: World) -> None:
    world.on(COUNT, NIGHTLY)
    here, there, done = Scope("default", "a", "x"), Scope("other", "b", "x"), Scope("default", "c", "x")
    for one in (here, there, done):
        world.tell("I live in Oslo", scope=one)
    world.rows("UPDATE watermarks SET position = 1, planned = 1 WHERE scope = %s", done.id)
    world.rows("DELETE FROM intents WHERE scope = ANY(%s)", [here.id, done.id])
    before = world.rows("SELECT next_due FROM schedules ORDER BY schedule")

    due = world.store.fire_manually(by="operator", tenant="default")

    assert [(one.scope, one.job) for one in due] == [(here.id, CONSOLIDATE)]
    assert [one for one, _ in world.firings("manual")] == [here.id]
    assert [one.scope for one in world.tick().due] == [here.id]
    assert world.rows("SELECT next_due FROM schedules ORDER BY schedule") == before


def test_firing_by_hand_can_name_scopes_and_a_pack(world: World) -> None:
    world.on(COUNT)
    first, second = scopes(2)
    for one in (first, second):
        world.tell("I live in Oslo", scope=one)

    assert world.store.fire_manually(by="operator", pack="another") == []
    assert world.store.fire_manually(by="operator", scopes=[]) == []
    assert [due.scope for due in world.store.fire_manually(by="operator", scopes=[second.id], pack="night")] == [
        second.id
    ]


def test_a_new_pack_waits_for_its_first_window_and_a_changed_cron_for_its_next(world: World) -> None:
    world.at(NIGHT)
    world.on(NIGHTLY)
    first = world.rows("SELECT next_due FROM schedules")
    with world.database.dispatch() as connection:
        packs.register(connection, [PACK], [replace(NIGHTLY, cron="0 4 * * *")])
    world.tick()

    assert first == [{"next_due": datetime(2026, 3, 4, 3, tzinfo=UTC)}]
    assert world.rows("SELECT next_due FROM schedules") == [{"next_due": datetime(2026, 3, 3, 4, tzinfo=UTC)}]
    assert world.firings("night/cron") == []


def test_a_cron_that_cannot_be_read_does_not_hold_up_the_others(world: World) -> None:
    world.on(NIGHTLY, QUARTERLY)
    world.rows("UPDATE schedules SET cron = '61 * * * *' WHERE schedule = 'night/cron'")
    world.at(NIGHT)

    done = world.tick()

    assert [one.schedule for one in done.fired] == ["night/interval"]
    assert [problem.split(":")[0] for problem in done.problems] == ["night/cron"]


def test_the_list_of_schedules_shows_next_and_last_firings_and_pauses(world: World) -> None:
    world.on(COUNT, NIGHTLY, Schedule("night/interval", CONSOLIDATE, "night", "interval", seconds=3600.0))
    world.store.pause("night/interval")
    world.at(NIGHT)
    world.tick()

    count, cron, interval = listing(world.store)

    assert (count.schedule.every, count.next_runs, count.schedule.last_fired) == (3, (), None)
    assert cron.next_runs == (datetime(2026, 3, 4, 3, tzinfo=UTC), datetime(2026, 3, 5, 3, tzinfo=UTC))
    assert cron.schedule.last_fired == NIGHT
    assert (interval.schedule.paused, interval.next_runs) == (True, ())


def test_each_tick_records_its_time(world: World) -> None:
    world.tick(by="scheduler@here:7")
    world.at(NIGHT)
    world.tick(by="scheduler@here:7")

    assert world.rows("SELECT process, role, started, seen FROM processes") == [
        {"process": "scheduler@here:7", "role": "scheduler", "started": EVENING, "seen": NIGHT}
    ]


def test_work_of_a_removed_pack_is_neither_announced_nor_claimed(world: World) -> None:
    world.on(COUNT)
    world.tell("one", "two", "three")
    with world.database.dispatch() as connection:
        packs.register(connection, [], [])

    assert world.tick().due == ()
    assert world.claim() is None


def addresses(server: PostgresServer, name: str) -> tuple[str, str]:
    """Return the addresses of a database for a process and for the owner."""
    return server.url(database=name), server.url("slowwave_owner", name)


@pytest.fixture(scope="module")
def crowded(postgres_server: PostgresServer, template: str) -> Iterator[str]:
    """The name of a database with twenty thousand scopes with waiting work, and three with due work."""
    with copied(postgres_server, template, "crowded") as name:
        with living(*addresses(postgres_server, name), *scopes(1)) as world:
            world.on(NIGHTLY, AGE)
            gather(world)
        yield name


@pytest.fixture
def crowd(postgres_server: PostgresServer, crowded: str) -> Iterator[World]:
    """A copy of the crowded database."""
    with (
        copied(postgres_server, crowded, "crowd") as name,
        living(*addresses(postgres_server, name), *scopes(1)) as world,
    ):
        yield world


def gather(world: World) -> None:
    """Write the rows of the crowd."""
    with psycopg.connect(world.owner_url) as connection:
        for table in ("scope_heads", "scope_leases", "watermarks", "intents"):
            connection.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
        connection.execute(script(__file__, "schedule.sql").encode())
    with psycopg.connect(world.owner_url, autocommit=True) as connection:
        connection.execute("ANALYZE scope_heads, scope_leases, watermarks, intents, packs, schedules")


@pytest.mark.accept
@pytest.mark.parametrize(("statement", "parameters", "index"), table(__file__)["a_tick_and_a_claim_read_only_due_rows"])
def test_a_tick_and_a_claim_read_only_due_rows(
    crowd: World, statement: str, parameters: dict[str, Any], index: str
) -> None:
    found = touched(crowd.url, sql(statement), role="slowwave_dispatch", **parameters)

    assert index in {index for _, index, _ in found}
    assert sum(rows for *_, rows in found) <= 40, found


def test_upcoming_work_is_found_among_a_few_due_intents(crowd: World) -> None:
    run: dict[str, Any] = {"scope": uuid.uuid4(), "pack": "night", "hi": 1, "target": 1}
    limits: dict[str, Any] = {"job": "consolidate", "same": True, "largest": 200, "least": 1, "most": 10}

    found = touched(crowd.url, sql("runs/upcoming"), role="slowwave_dispatch", **run, **limits)
    assert {index for _, index, _ in found} >= {"intents_due", "intents_one_running"}
    assert sum(rows for *_, rows in found) <= 120, found


def test_a_nightly_firing_finds_its_work_by_index(crowd: World) -> None:
    arguments = {"schedule": "night/cron", "job": "consolidate", "pack": "another", "last": "k", "by": "x"}

    found = touched(crowd.url, sql("schedule/hasten"), role="slowwave_dispatch", **arguments)
    assert ("intents", "intents_waiting", 0) in found


def test_a_night_of_twenty_thousand_scopes_is_one_transaction(crowd: World) -> None:
    crowd.tick()
    crowd.at(NIGHT)

    crowd.tick()

    fired = crowd.rows("SELECT fired FROM firings WHERE schedule = 'night/cron' AND scope <> %s", SYSTEM_SCOPE)
    assert len(fired) == 19_994  # six were already due by their age
