"""Jobs without episodes run only where something is due, one at a time per slice, and blame no episode."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import pytest

from slowwave.domain.job_table import CHECK, DECAY, INSTALLATION, JOBS, PROMOTE, SLICED, SWEEP, JobType, pack_of
from slowwave.domain.run import Run
from slowwave.domain.scope import SYSTEM_TENANT, Scope
from slowwave.errors import Fault, Incorrect, Unavailable
from slowwave.memory import due_work
from slowwave.ports import Plan
from slowwave.store.runs.runs import PostgresRuns
from tests.contract.harness import Harness, somebody

BY = "test"


@dataclass
class Noted:
    """A `Job` that records its scopes, and fails on request."""

    runs: list[Run] = field(default_factory=list)
    error: Exception | None = None

    def think(self, run: Run, store: PostgresRuns) -> Plan:
        self.runs.append(run)
        if self.error:
            raise self.error
        return Plan(counts={"seen": len(self.runs)})

    def witness(self, run: Run) -> bool:
        raise AssertionError("nobody is to blame")


Install = Callable[[str], Noted]


@pytest.fixture
def installed(harness: Harness) -> Install:
    """Replaces the job of that name by a recording one."""

    def install(job: str) -> Noted:
        harness.rows(
            "INSERT INTO packs (pack, tenant, job, version, digest) VALUES (%s, '_system', %s, 1, %s) "
            "ON CONFLICT (pack) DO NOTHING",
            pack_of(job), job, b"test",
        )  # fmt: skip
        noted = Noted()
        harness.parts.jobs[job] = noted
        return noted

    return install


def standing(harness: Harness, scope: Scope, *, column: str, due: str = "1 second ago") -> uuid.UUID:
    """Give *scope* a memory with a due *column*, and return its id."""
    memory = uuid.uuid4()
    harness.rows(
        f"INSERT INTO standing (scope, memory, tenant, kind, tier, base, created, {column}) "
        "VALUES (%s, %s, %s, 'semantic', 'warm', 1, slowwave_now(), slowwave_now() - %s::interval)",
        scope.id, memory, scope.tenant, due.removesuffix(" ago"),
    )  # fmt: skip
    return memory


def birth(harness: Harness, scope: Scope) -> None:
    harness.parts.push(scope, ["hello"])
    harness.drain()


@pytest.mark.parametrize("job", [DECAY, SWEEP])
def test_decay_and_sweep_are_requested_only_for_scopes_with_due_memories(
    harness: Harness, installed: Install, job: str
) -> None:
    busy, idle = somebody(), Scope("another", "bob", "concierge")
    for scope in (busy, idle):
        birth(harness, scope)
    noted = installed(job)
    standing(harness, busy, column=f"{job}_due")
    standing(harness, idle, column=f"{job}_due", due="-1 hour ago")

    assert harness.parts.schedule.fire_job(job, pack_of(job), by=BY) == 1
    harness.drain()

    assert [run.tenant for run in noted.runs] == [busy.tenant]
    (slice_,) = harness.rows("SELECT slice FROM slices WHERE slice_id = %s", noted.runs[0].scope)[0]
    assert slice_ == int(str(busy.id)[0], 16)
    assert harness.value("SELECT counts FROM runs WHERE run = %s", noted.runs[0].run) == {"episodes": 0, "seen": 1}


@pytest.mark.parametrize("works", ["scope", "slice"])
def test_a_job_without_a_due_statement_is_refused(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, works: Literal["scope", "slice"]
) -> None:
    monkeypatch.setitem(JOBS, "tally", JobType(works))

    with pytest.raises(Fault, match="no firing finds work for the job 'tally'") as refused:
        harness.parts.schedule.fire_job("tally", "_tally", by=BY)
    assert "DUE in store/schedule/schedule.py" in str(refused.value.hint)
    assert harness.value("SELECT count(*) FROM firings WHERE schedule LIKE 'tally%%'") == 0


def test_a_slice_is_worked_on_by_one_worker_at_a_time(harness: Harness, installed: Install) -> None:
    scope = somebody()
    birth(harness, scope)
    installed(DECAY)
    standing(harness, scope, column="decay_due")
    harness.parts.schedule.fire_job(DECAY, "_decay", by=BY)
    harness.claimed("ann", jobs=[DECAY])
    harness.parts.schedule.fire_job(DECAY, "_decay", by=BY)

    assert harness.claim("bob", jobs=[DECAY]) is None


@pytest.mark.parametrize("error", [Incorrect("no"), Fault("broken"), ZeroDivisionError()])
def test_a_failed_job_without_episodes_makes_no_dead_letter_and_runs_again(
    harness: Harness, installed: Install, error: Exception
) -> None:
    noted = installed(CHECK)
    noted.error = error
    harness.parts.schedule.fire_job(CHECK, "_check", by=BY)
    assert harness.drain() == {"failed": 1}
    assert harness.rows("SELECT 1 FROM intents WHERE job = %s", CHECK) == []
    assert harness.value("SELECT count(*) FROM dead_letters") == 0

    noted.error = None
    harness.parts.schedule.fire_job(CHECK, "_check", by=BY)
    assert harness.drain() == {"ok": 1}


def test_an_unavailable_standing_job_is_retried(harness: Harness, installed: Install) -> None:
    noted = installed(CHECK)
    noted.error = Unavailable("away", retry_after_seconds=0)
    harness.parts.schedule.fire_job(CHECK, "_check", by=BY)
    report = due_work.run_next(harness.parts, owner="ann")
    noted.error = None

    assert report is not None
    assert report.outcome == "unavailable"
    assert harness.drain() == {"ok": 1}


def test_a_job_without_episodes_is_not_condemned_when_its_workers_vanish(harness: Harness, installed: Install) -> None:
    noted = installed(CHECK)
    harness.parts.schedule.fire_job(CHECK, "_check", by=BY)
    for _ in range(8):
        harness.claimed("mortal", jobs=[CHECK])
        harness.later(harness.lease + 1)
        other = somebody()  # a successful run of another scope, which would be a witness against an episode
        harness.told(other, 1)
        harness.settle(harness.claimed("ann", scope=other))

    harness.drain()
    assert [run.condemned for run in noted.runs] == [None]
    assert harness.value("SELECT count(*) FROM dead_letters") == 0


@pytest.mark.parametrize("job", INSTALLATION)
def test_an_installation_job_has_one_slice_under_the_reserved_tenant(
    harness: Harness, installed: Install, job: str
) -> None:
    noted = installed(job)
    for _ in range(3):
        assert harness.parts.schedule.fire_job(job, pack_of(job), by=BY) == 1
    harness.drain()

    assert [run.tenant for run in noted.runs] == [SYSTEM_TENANT]


def test_promotion_is_requested_for_the_global_scope(harness: Harness, installed: Install) -> None:
    project = Scope("default", "alice", "concierge", "trip")
    everywhere = Scope("default", "alice", "concierge")
    birth(harness, project)
    noted = installed(PROMOTE)
    assert harness.parts.schedule.fire_job(PROMOTE, "_promote", by=BY) == 0

    standing(harness, project, column="promote_due")
    standing(harness, everywhere, column="promote_due")
    assert harness.parts.schedule.fire_job(PROMOTE, "_promote", by=BY) == 1
    harness.drain()

    assert [run.scope for run in noted.runs] == [everywhere.id]


def test_a_schedule_fires_once_for_a_scope_and_window(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 3)
    harness.drain()
    harness.parts.push(scope, ["I like tea"])
    harness.rows(
        "INSERT INTO schedules (schedule, tenant, job, pack, kind) "
        "VALUES ('everyday/semantic_shift', '_system', 'consolidate', 'everyday', 'semantic_shift') "
        "ON CONFLICT DO NOTHING"
    )
    schedule = harness.parts.schedule

    first = schedule.fire_scope("everyday/semantic_shift", scope, "s1/1", by=BY)
    assert [(due.scope, due.job) for due in first] == [(scope.id, "consolidate")]
    assert schedule.fire_scope("everyday/semantic_shift", scope, "s1/1", by=BY) == []
    harness.drain()
    assert harness.watermark(scope) == 4
    assert schedule.fire_scope("nobody/idle", scope, "1", by=BY) == []


def test_each_standing_job_has_its_own_pack_name() -> None:
    jobs = (*SLICED, *INSTALLATION, PROMOTE)
    assert len({pack_of(job) for job in jobs}) == len(jobs) >= 8
