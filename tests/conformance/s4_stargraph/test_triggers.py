"""Stargraph, cadences: a count, a cron, a stream on request, and a nightly batch by default."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE
from slowwave.domain.scope import Scope
from slowwave.memory import due_work
from slowwave.rules import Cadence
from slowwave.store import packs
from slowwave.store.packs import PackEntry
from slowwave.testing import stop_clock
from slowwave.wiring import Parts
from slowwave.wiring.packs import schedules
from tests.contract.harness import at_once

Told = Callable[..., list[Episode]]
EVENING = datetime(2026, 3, 2, 21, tzinfo=UTC)


@pytest.fixture
def on(parts: Parts, owner_url: str) -> Callable[[Cadence], None]:
    """Runs the pack `rules` on a cadence, from an evening on."""

    def on(cadence: Cadence) -> None:
        stop_clock(owner_url, EVENING)
        with parts.database.dispatch() as connection:
            pack = PackEntry("rules", CONSOLIDATE, 1, b"")
            packs.register(connection, [pack], list(schedules("rules", CONSOLIDATE, "rules", cadence)))
        due_work.tick(parts, by="scheduler@here:1")

    return on


def due(parts: Parts) -> bool:
    return any(one.job == CONSOLIDATE for one in due_work.tick(parts, by="scheduler@here:1").due)


@pytest.mark.requirement("S4.6")
def test_the_100th_of_concurrent_episodes_fires_once(
    parts: Parts, scope: Scope, told: Told, on: Callable[[Cadence], None]
) -> None:
    on(Cadence(every=100))
    parts.push(scope, told(*["I like tea"] * 92))
    at_once([lambda n=n: parts.push(scope, told("I like tea", start=100 + n)) for n in range(7)])  # type: ignore[misc]
    before = due(parts)

    at_once([lambda n=n: parts.push(scope, told("I like tea", start=200 + n)) for n in range(8)])  # type: ignore[misc]

    with parts.database.dispatch() as connection:
        fired = connection.exec_driver_sql("SELECT at_window FROM firings WHERE schedule = 'rules/count'").scalars()
        assert (before, due(parts), list(fired)) == (False, True, ["100"])


@pytest.mark.requirement("S4.7")
def test_a_cron_fires_at_its_hour(
    parts: Parts, scope: Scope, told: Told, on: Callable[[Cadence], None], owner_url: str
) -> None:
    on(Cadence(cron="0 3 * * *"))
    parts.push(scope, told("I like tea"))

    seen = []
    for hours in (5.99, 6):
        stop_clock(owner_url, EVENING + timedelta(hours=hours))
        seen.append(due(parts))
    assert seen == [False, True]


@pytest.mark.requirement("S4.8")
def test_a_count_of_one_fires_for_every_episode(
    parts: Parts, scope: Scope, told: Told, on: Callable[[Cadence], None]
) -> None:
    on(Cadence(every=1))
    parts.push(scope, told("I like tea", "I like coffee"))

    with parts.database.dispatch() as connection:
        fired = connection.exec_driver_sql("SELECT at_window FROM firings ORDER BY at_window").scalars().all()
    assert (fired, due(parts)) == (["1", "2"], True)


@pytest.mark.requirement("S4.9")
@pytest.mark.parametrize("preset", [None, "stargraph_v1"])
def test_each_preset_has_a_nightly_batch_and_no_streaming(connected: Callable[..., Parts], preset: str | None) -> None:
    parts = connected(preset=preset)
    found = {one.kind: one for one in parts.schedule.schedules() if one.job == CONSOLIDATE}

    assert (found["cron"].cron, found["cron"].zone) == ("0 3 * * *", "UTC")
    assert found["count"].every == 100


def test_the_everyday_pack_also_fires_by_count_age_idle_and_session_end(parts: Parts) -> None:
    found = {one.kind: one for one in parts.schedule.schedules() if one.pack == "everyday"}

    assert set(found) == {"count", "cron", "age", "idle", "session_end"}
    assert found["idle"].seconds == 300


@pytest.mark.requirement("S4.10")
def test_one_scheduler_serves_every_rule_pack_and_every_job(parts: Parts, owner_url: str) -> None:
    stop_clock(owner_url, EVENING)
    due_work.tick(parts, by="scheduler@here:1")
    stop_clock(owner_url, EVENING + timedelta(hours=12))

    fired = {one.schedule for one in due_work.tick(parts, by="scheduler@here:1").fired}

    clocked = {one.name for one in parts.schedule.schedules() if one.kind in ("cron", "interval")}
    assert fired == clocked
    assert {"everyday/cron", "promote/cron", "partitions/interval"} <= fired
