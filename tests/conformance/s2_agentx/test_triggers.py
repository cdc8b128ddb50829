"""AgentX's background worker: which jobs run, and on which minutes."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import ARCHIVE, CONSOLIDATE, DECAY, DETECT_PATTERNS, PARTITIONS, PROMOTE
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, due_work
from slowwave.settings import Settings
from slowwave.testing import stop_clock

Told = Callable[..., list[Episode]]
MINUTES = {CONSOLIDATE: 15, DETECT_PATTERNS: 60, DECAY: 1440, ARCHIVE: 1440, PROMOTE: 60, PARTITIONS: 1440}
NOON = datetime(2026, 3, 2, 12, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def agentx(settings: Settings, heavy_parts: dict[str, object]) -> Iterator[wiring.Parts]:
    """The parts of a process that lives by the preset `agentx`."""
    parts = wiring.connect(settings.model_copy(update={"preset": "agentx"}))
    vars(parts).update(heavy_parts)
    wiring.register(parts)
    yield parts
    parts.close()


@pytest.mark.requirement("S2.31")
def test_the_six_jobs_run_on_their_minutes(agentx: wiring.Parts) -> None:
    found = {one.job: one.seconds for one in agentx.schedule.schedules() if one.kind == "interval"}

    assert {job: found[job] for job in MINUTES} == {job: 60.0 * minutes for job, minutes in MINUTES.items()}


@pytest.mark.requirement("S2.31")
def test_each_job_fires_at_its_interval_over_a_day(agentx: wiring.Parts, owner_url: str) -> None:
    stop_clock(owner_url, NOON)
    due_work.tick(agentx, by="scheduler@here:1")
    for minute in range(15, 24 * 60 + 15, 15):
        stop_clock(owner_url, NOON + minute * MINUTE)
        due_work.tick(agentx, by="scheduler@here:1")

    with agentx.database.dispatch() as connection:
        rows = connection.exec_driver_sql(
            "SELECT s.job, s.pack, count(*) FROM firings f JOIN schedules s USING (schedule) "
            "WHERE s.kind = 'interval' AND f.scope = '00000000-0000-0000-0000-000000000000' GROUP BY s.job, s.pack"
        ).all()
    fired = {(job, count) for job, _, count in rows if job in MINUTES}
    assert fired == {(job, 1440 // minutes) for job, minutes in MINUTES.items()}


def test_consolidation_runs_every_quarter_of_an_hour(
    agentx: wiring.Parts, owner_url: str, scope: Scope, told: Told
) -> None:
    memory = Memory(agentx)
    stop_clock(owner_url, NOON)
    due_work.tick(agentx, by="scheduler@here:1")
    agentx.push(scope, told("I moved to Oslo.", "I work at Acme."))
    memory.drain()
    believed = [{fact.object for fact in memory.scope(scope.user, agent=scope.agent).facts()}]

    stop_clock(owner_url, NOON + 15 * MINUTE)
    due_work.tick(agentx, by="scheduler@here:1")
    memory.drain()
    believed.append({fact.object for fact in memory.scope(scope.user, agent=scope.agent).facts()})

    assert believed == [set(), {"Oslo", "Acme"}]
    with agentx.database.tenant(scope.tenant) as connection:
        names = set(connection.exec_driver_sql("SELECT name FROM entities").scalars())
    assert names == {"user", "Oslo", "Acme"}


@pytest.mark.parametrize("preset", ["default", "agentx", "grampus_f3", "aragora_hope", "stargraph_v1", "reploid_0x68"])
def test_each_registered_job_has_a_schedule(settings: Settings, heavy_parts: dict[str, object], preset: str) -> None:
    parts = wiring.connect(settings.model_copy(update={"preset": preset}))
    vars(parts).update(heavy_parts)
    wiring.register(parts)
    with parts.database.dispatch() as connection:
        unscheduled = connection.exec_driver_sql(
            "SELECT job FROM packs p WHERE NOT EXISTS (SELECT FROM schedules s WHERE (s.pack, s.job) = (p.pack, p.job))"
        ).all()
    parts.close()

    assert unscheduled == [("prepare",)]  # which every push asks for
