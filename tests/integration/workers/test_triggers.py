"""The triggers without a clock: silence, end of a session, pressure, a full tier, and manual firing."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE, SWEEP, pack_of
from slowwave.errors import Incorrect
from slowwave.memory import Memory
from slowwave.ports import Plan, Schedule
from slowwave.rules import Cadence
from slowwave.rules.lifecycle import load_lifecycle
from slowwave.settings import Settings
from slowwave.store import packs as registry
from slowwave.store.packs import PackEntry
from slowwave.store.statements import sql
from slowwave.wiring.packs import entries, schedules
from tests.integration.workers.test_schedule import (
    AGE,
    DAY,
    EVENING,
    MINUTE,
    NIGHTLY,
    World,
    crowd,
    crowded,
    scopes,
    world,
)
from tests.plans import touched

Told = Callable[..., list[Episode]]
IDLE = Schedule("night/idle", CONSOLIDATE, "night", "idle", seconds=600.0)
SESSION = Schedule("night/session_end", CONSOLIDATE, "night", "session_end")

__all__ = ["crowd", "crowded", "world"]


def at(world: World, minutes: float) -> None:
    world.at(EVENING + minutes * MINUTE)


# silence


def test_a_scope_that_falls_silent_is_read_once_for_each_silence(world: World) -> None:
    world.on(AGE, IDLE)
    world.tell("I live in Oslo")
    at(world, 9)
    world.tell("I live in Rome", start=1)

    fired = []
    for minute in (10, 18.9, 19, 20, 40):
        at(world, minute)
        fired.append([(one.schedule, one.scopes) for one in world.tick().fired])

    assert fired == [[], [], [("night/idle", 1)], [], []]
    assert world.firings("night/idle") == [(world.scope.id, "2")]
    assert [due.scope for due in world.tick().due] == [world.scope.id]


def test_episodes_after_a_silence_wait_for_the_next_silence(world: World) -> None:
    world.on(AGE, IDLE)
    for number, minute in enumerate((0, 30)):
        at(world, minute)
        world.tell(f"I live in Oslo {number}", start=number)
        at(world, minute + 11)
        world.tick()
        run = world.claim(world.scope)
        world.parts.runs.settle(run, Plan())

    assert [key for _, key in world.firings("night/idle")] == ["1", "2"]


def test_a_paused_idle_trigger_fires_when_resumed(world: World) -> None:
    world.on(AGE)
    world.tell("I live in Oslo")
    world.on(AGE, IDLE)  # the scope waits, and no tick has seen it
    world.store.pause("night/idle")
    at(world, 60)
    assert world.tick().fired == ()

    world.store.resume("night/idle")

    assert [(one.schedule, one.scopes) for one in world.tick().fired] == [("night/idle", 1)]


def test_a_tick_looks_at_scopes_that_may_have_fallen_silent_and_not_at_all_that_wait(crowd: World) -> None:
    with crowd.database.dispatch() as connection:
        registry.register(connection, [PackEntry("night", CONSOLIDATE, 1, b"night")], [NIGHTLY, AGE, IDLE])
    with psycopg.connect(crowd.owner_url) as connection:
        connection.execute("UPDATE intents SET idle_due = due")
        connection.execute("UPDATE scope_heads SET touched = '2020-01-01'")

    found = touched(crowd.url, sql("schedule/idle"), role="slowwave_dispatch", most=10_000, by="x")

    assert ("intents", "intents_idle", 3) in found
    assert sum(rows for relation, _, rows in found if relation in ("intents", "scope_heads")) <= 20, found


# the end of a session


def test_a_session_end_requests_its_work_once(world: World) -> None:
    world.on(AGE, SESSION)
    world.tell("I live in Oslo")
    memory = Memory(world.parts).scope(world.scope.user, agent=world.scope.agent)

    due = [memory.end_session("s1"), memory.end_session("s1")]
    world.tell("I live in Rome", start=1)
    due.append(memory.end_session("s1"))

    assert [[(one.scope, one.job) for one in each] for each in due] == [
        [(world.scope.id, CONSOLIDATE)],
        [],
        [(world.scope.id, CONSOLIDATE)],
    ]
    assert [key for _, key in world.firings("night/session_end")] == ["s1@1", "s1@2"]


def test_a_repeated_session_end_fires_once(world: World) -> None:
    world.on(AGE, SESSION)
    end = Episode(content="done", key="end", kind="outcome", session="s1", metadata={"session_end": True})

    world.parts.push(world.scope, [Episode(content="I live in Oslo", key="e0", session="s1"), end])
    world.parts.push(world.scope, [end])
    world.parts.push(world.scope, [Episode(content="done too", kind="outcome", session="s1")])

    assert world.firings("night/session_end") == [(world.scope.id, "s1@2")]
    assert world.claim(world.scope).hi == 3


def test_the_end_of_an_empty_session_requests_nothing(world: World) -> None:
    world.on(AGE, SESSION)

    assert Memory(world.parts).scope(world.scope.user, agent=world.scope.agent).end_session("s1") == []


# pressure, a full tier, a hand


def test_a_full_tier_requests_a_sweep_of_its_slice(world: World) -> None:
    sweep = pack_of(SWEEP)
    world.on(AGE)
    world.tell("I live in Oslo")
    with world.database.dispatch() as connection:
        registry.register(
            connection, [PackEntry(sweep, SWEEP, 1, b"")], list(schedules(SWEEP, SWEEP, sweep, Cadence(capacity="hot")))
        )

    other = world.store.fire_scope("sweep/capacity", world.scope, "warm@1", by="x", tier="warm")
    first = world.store.fire_scope("sweep/capacity", world.scope, "hot@1", by="x", tier="hot")
    again = world.store.fire_scope("sweep/capacity", world.scope, "hot@1", by="x", tier="hot")

    assert (other, again) == ([], [])
    ((place, job, slice_),) = [
        (row["slice_id"], row["job"], row["slice"]) for row in world.rows("SELECT slice_id, job, slice FROM slices")
    ]
    assert (place, job, slice_) == (first[0].scope, SWEEP, world.scope.id.bytes[0] >> 4)


def test_a_partial_firing_leaves_the_rest_to_its_age_trigger(world: World) -> None:
    world.on(AGE, Schedule("night/semantic_shift", CONSOLIDATE, "night", "semantic_shift"))
    world.tell("one", "two", "three")
    world.rows(
        "INSERT INTO watermarks (scope, pack, tenant, position, planned) VALUES (%s, '_prepare', 'default', 3, 3)",
        world.scope.id,
    )
    world.store.fire_scope("night/semantic_shift", world.scope, "s1/1", by="x", target=2)

    run = world.claim(world.scope)
    world.parts.runs.settle(run, Plan())

    assert (run.lo, run.hi) == (1, 2)
    (rest,) = world.rows("SELECT target, due, hastened, upto FROM intents WHERE pack = 'night'")
    assert rest == {"target": 3, "due": EVENING + DAY, "hastened": False, "upto": None}


def test_a_backlog_below_its_trigger_is_processed_by_age(world: World) -> None:
    world.on(AGE, SESSION, IDLE)
    world.store.pause("night/idle")
    first, second = scopes(2)
    world.tell("I live in Oslo", scope=first)
    at(world, 30)
    world.tell("I live in Rome", scope=second)
    for number in range(20):
        world.tell(f"more {number}", start=number + 2, scope=second)

    world.at(EVENING + 2 * DAY)
    world.tick()

    assert [due.scope for due in world.tick().due] == [first.id, second.id]
    assert world.claim().scope == first.id


# declared


@pytest.mark.parametrize(
    ("kind", "cadence", "fields"),
    [
        ("idle", Cadence(idle=timedelta(minutes=10)), {"seconds": 600.0}),
        ("semantic_shift", Cadence(semantic_shift=True), {"threshold": 0.3, "min_events": 3, "reference": "segment"}),
        ("token_pressure", Cadence(token_pressure=True), {"every": 8000}),
        ("capacity", Cadence(capacity=True), {"tier": None}),
        ("capacity", Cadence(capacity="hot"), {"tier": "hot"}),
        ("session_end", Cadence(session_end=True), {}),
    ],
)
def test_each_trigger_kind_is_stored_and_read_back(
    world: World, kind: str, cadence: Cadence, fields: dict[str, object]
) -> None:
    packs, made = entries([], {}, ["sweep"], replace(load_lifecycle(), triggers={"sweep": cadence}))
    with world.database.dispatch() as connection:
        registry.register(connection, packs, made)

    stored: dict[str, Schedule] = {one.kind: one for one in world.store.schedules()}
    assert {name: getattr(stored[kind], name) for name in fields} == fields
    assert world.store.registered(["_sweep"])[1] == sorted(made, key=lambda one: one.name)


def test_an_edited_policy_takes_effect_while_the_scheduler_runs(tmp_path: Path, settings: Settings) -> None:
    for folder in ("packs", "policies"):
        (tmp_path / folder).mkdir()
    parts = wiring.connect(settings.model_copy(update={"rules": tmp_path / "packs"}))
    seen: list[float | None] = []
    for preset in ("default", "agentx", "nonsense"):
        (tmp_path / "policies" / "lifecycle.yaml").write_text(f"everybody: {preset}\n")
        parts.watched.look()
        wiring.register_watched(parts)
        seen.append({one.name: one.seconds for one in parts.schedule.schedules()}.get("everyday/interval"))
    parts.close()

    assert seen == [None, 900.0, 900.0]
    assert list(parts.watched.problems) == ["lifecycle.yaml"]


def test_an_unknown_preset_is_refused_at_once(settings: Settings) -> None:
    with pytest.raises(Incorrect, match="there is no preset agent, did you mean agentx"):
        wiring.connect(settings.model_copy(update={"preset": "agent"}))


def test_a_preset_is_chosen_by_the_environment(settings: Settings) -> None:
    parts = wiring.connect(settings.model_copy(update={"preset": "agentx"}))
    assert parts.lifecycle.triggers["consolidate"].interval == timedelta(minutes=15)
    parts.close()


def test_a_run_by_hand_reaches_jobs_of_every_family(world: World) -> None:
    parts = world.parts
    wiring.register(parts)
    world.tell("I live in Oslo")

    windowed = parts.schedule.fire_manually(by="x", pack="_patterns")
    installation = parts.schedule.fire_job("partitions", "_partitions", by="x")
    standing = parts.schedule.fire_job("decay", "_decay", by="x")

    assert [one.job for one in windowed] == ["detect_patterns"]
    assert (installation, standing) == (1, 0)
    fired = {row["schedule"] for row in world.rows("SELECT schedule FROM firings WHERE fired_by = 'x'")}
    assert fired == {"manual", "partitions/manual", "decay/manual"}
