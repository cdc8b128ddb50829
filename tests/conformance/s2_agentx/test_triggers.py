"""AgentX, background worker: its jobs and their intervals."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from slowwave import wiring
from slowwave.domain.job_table import ARCHIVE, CONSOLIDATE, DECAY, DETECT_PATTERNS, PARTITIONS, PROMOTE
from slowwave.memory import due_work
from slowwave.testing import stop_clock

MINUTES = {CONSOLIDATE: 15, DETECT_PATTERNS: 60, DECAY: 1440, ARCHIVE: 1440, PROMOTE: 60, PARTITIONS: 1440}
NOON = datetime(2026, 3, 2, 12, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def agentx(connected: Callable[..., wiring.Parts]) -> wiring.Parts:
    """The parts of a process that lives by the preset `agentx`."""
    return connected(preset="agentx")


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


@pytest.mark.parametrize("preset", ["default", "agentx", "grampus_f3", "aragora_hope", "stargraph_v1", "reploid_0x68"])
def test_each_registered_job_has_a_schedule(connected: Callable[..., wiring.Parts], preset: str) -> None:
    parts = connected(preset=preset)
    with parts.database.dispatch() as connection:
        unscheduled = connection.exec_driver_sql(
            "SELECT job FROM packs p WHERE NOT EXISTS (SELECT FROM schedules s WHERE (s.pack, s.job) = (p.pack, p.job))"
        ).all()

    assert unscheduled == [("prepare",)]  # every push requests it
