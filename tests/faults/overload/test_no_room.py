"""An overloaded machine: a flood of pushes, a full disk, and an outbox on a full disk."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.broker import queue
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.errors import Unavailable
from slowwave.memory import due_work
from tests.faults.rig.agents import REFUSED, SOMEBODY, SPOOLED, agent, outcomes, pair
from tests.faults.rig.disk import disk, on_its_own_log
from tests.faults.rig.ground import Ground, environment
from tests.faults.rig.processes import Process, python, running, until
from tests.faults.rig.stage import SetUp, Stage, playing
from tests.faults.rig.verdict import AT_ONCE


def pushed(stage: Stage, tenant: str, scopes: int, episodes: int = 10) -> None:
    """Push so many *episodes* to each scope, request their consolidation, and notify the workers."""
    for number in range(scopes):
        scope = Scope(tenant, f"user{number}", "concierge")
        stage.parts.push(scope, [Episode(content=f"I like tea and cake {at}", key=str(at)) for at in range(episodes)])
        due_work.fire(stage.parts, scope.id)
        for job in due_work.runnable_jobs(stage.parts, scope.id):
            queue.notify_workers(scope.id, job)


@pytest.mark.parametrize(
    ("scopes", "episodes"),
    [
        pytest.param(150, 10, marks=[pytest.mark.accept, pytest.mark.timeout(600)]),
        pytest.param(100, 500, marks=[pytest.mark.soak, pytest.mark.timeout(1_200)]),
    ],
)
def test_a_flood_delays_the_ten_episodes_of_another_tenant_by_one_window(
    set_up: SetUp, scopes: int, episodes: int
) -> None:
    with set_up(worker_processes=1) as stage:
        queue.configure(stage.parts.broker_url)
        pushed(stage, "flood", scopes, episodes)
        with running(stage.worker):
            until(lambda: stage.done() > 3, "the flood is worked off")
            pushed(stage, "few", 1)
            few = "runs WHERE tenant = 'few' AND job = 'consolidate' AND outcome = 'ok'"
            stage.until(lambda: stage.count(few), "the few are consolidated", seconds=300)
        tenants = [tenant for (tenant,) in stage.rows(
            "SELECT tenant FROM runs WHERE started > (SELECT max(received) FROM episode_keys WHERE tenant = 'few') "
            "AND run <= (SELECT max(run) FROM runs WHERE tenant = 'few' AND job = 'consolidate') ORDER BY run"
        )]  # fmt: skip
        left = stage.count("intents WHERE tenant = 'flood'")

    print(f"{scopes * episodes:,} episodes: {' '.join(tenants)}; {left} intents of the flood are left")
    assert left > scopes / 2, "the flood was over before it could delay anybody"
    before, own = tenants.index("few"), tenants[tenants.index("few") :]
    assert own.count("flood") < own.count("few"), "one window of the flood for each turn of the few"
    if episodes > 10:  # a window of ten takes less time than the pause between two searches for other tenants
        assert before <= 1


SEGMENTS = 400
"""The number of incompressible pushes of 60 KB, together larger than a segment of the log."""
LARGE = "I live in Oslo. " * 4_000
"""A text larger than the free space in the last pages of a table."""


@pytest.mark.soak
def test_a_full_disk_makes_no_dead_letters_and_work_resumes_with_space(
    set_up: SetUp, ground: Ground, tmp_path: Path
) -> None:
    with (
        disk(ground.home / "small", megabytes=400) as small,
        ground.tablespace(small.folder) as space,
        ground.database(tablespace=space) as database,
        pair(ground, tmp_path, space) as agents,
        set_up(database=database, worker_processes=2) as stage,
        playing(stage, pace=0.1),
    ):
        stage.under_way()
        agents.hasty.push(SOMEBODY, ["I live in Oslo"])  # the first connection to a database needs room on the disk
        small.fill()
        with pytest.raises(Unavailable, match=r"DiskFull|No space left"):
            exhaust(agents.hasty)
        before = agents.stored()
        agents.spooled(LARGE)
        stage.until(lambda: refused(stage), "a run found no room")
        assert small.full
        assert stage.count(AT_ONCE), "nothing is left to do"
        assert not stage.count("dead_letters")

        small.clear()
        until(lambda: agents.stored() == before + 1, "what was spooled is stored by itself")
        stage.prove_with_worker()
        assert stage.count("runs WHERE outcome = 'narrowed'") == 0


@pytest.mark.soak
@pytest.mark.timeout(300)  # a second Postgres, which starts three times
def test_postgres_without_space_for_its_log_stops_and_restarts_with_space(
    set_up: SetUp, ground: Ground, tmp_path: Path
) -> None:
    with (
        disk(ground.home / "log", megabytes=128) as small,
        on_its_own_log(ground, small) as narrow,
        narrow.database() as database,
        pair(narrow, tmp_path) as agents,
        set_up(ground=narrow, database=database, worker_processes=2) as stage,
        playing(stage, pace=0.1),
    ):
        stage.under_way()
        small.fill()
        acknowledged = sum(1 for _ in taken(agents.hasty))
        until(lambda: narrow.postgres.pid is None, "Postgres has ended itself")
        agents.spooled()

        small.clear()
        narrow.postgres.start()
        until(
            lambda: agents.stored() in (acknowledged + 1, acknowledged + 2),  # an answer may have been lost
            "what was acknowledged and what was spooled is stored",
        )
        stage.prove()
        assert stage.count("runs WHERE outcome = 'narrowed'") == 0


def exhaust(agent: wiring.Parts) -> None:
    """Push until the last free pages of the tables are used up."""
    for _ in range(100):
        agent.push(SOMEBODY, [LARGE])


def refused(stage: Stage) -> bool:
    """Return whether a run could not write its result."""
    return "retry: Postgres" in stage.worker.log.read_text()


def taken(agent: wiring.Parts) -> Iterator[None]:
    """Push large episodes until one is refused; give one item per acknowledged episode."""
    for _ in range(SEGMENTS):
        try:
            agent.push(SOMEBODY, [secrets.token_hex(30_000)])
        except Unavailable:
            return
        yield
    raise AssertionError("the disk was never full")


LARGEST_BYTES = 2_000_000
"""The file size limit of the agent's process. It simulates a full disk for this process, and needs no root."""
REFUSALS = 20


@pytest.mark.accept
def test_an_outbox_that_cannot_grow_delivers_exactly_the_acknowledged_episodes(
    ground: Ground, database: str, tmp_path: Path
) -> None:
    with spilling(ground, database, tmp_path, tmp_path / "outbox", largest=LARGEST_BYTES) as log:
        until_refused(log)
    prove_delivered(ground, database, log, tmp_path / "outbox")


@pytest.mark.soak
def test_an_outbox_on_a_full_disk_delivers_once_there_is_space(ground: Ground, database: str, tmp_path: Path) -> None:
    with disk(tmp_path / "small", megabytes=16) as small:
        with spilling(ground, database, tmp_path, small.folder / "outbox", largest=0) as log:
            until(lambda: len(outcomes(log)[SPOOLED]) > REFUSALS, "it spools")
            small.fill()
            until_refused(log)
            assert small.full
        small.clear()
        prove_delivered(ground, database, log, small.folder / "outbox")


@contextmanager
def spilling(ground: Ground, database: str, folder: Path, outbox: Path, *, largest: int) -> Iterator[Path]:
    """Let an agent push without Postgres during the block, then kill it; give its log."""
    away = ground.settings(database, url=f"postgresql://slowwave@/{database}?host={folder}", broker_url=None)
    env = environment(away) | {"SLOWWAVE_OUTBOX": str(outbox)}
    log = folder / "said"
    with running(Process(python("tests.faults.rig.agents", str(log), str(largest)), env, folder / "spills.log")) as it:
        yield log
        assert it.running, it.said()
        it.kill()


def until_refused(log: Path) -> None:
    """Wait until the outbox refuses an episode."""
    until(lambda: len(outcomes(log)[REFUSED]) >= REFUSALS, "the outbox is full")


def prove_delivered(ground: Ground, database: str, log: Path, outbox: Path) -> None:
    """Assert that another agent with this *outbox* stores the spooled episodes in order, and no refused one."""
    said = outcomes(log)
    assert len(said[SPOOLED]) > REFUSALS, "it took too little to prove anything"
    with agent(ground, database, outbox) as successor:
        assert successor.spooler is not None
        successor.spooler.drain()
    delivered = [key for (key,) in ground.rows(database, "SELECT key FROM episodes ORDER BY position")]
    assert [key for key in delivered if key in {*said[SPOOLED]}] == said[SPOOLED]
    assert not {*delivered} & {*said[REFUSED]}
    assert len(delivered) - len(said[SPOOLED]) <= 1, "more than the one it was killed at"
