"""An outbox whose own disk is full, and its agent killed: what it acknowledged is delivered, what it refused is not."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.faults.rig.agents import REFUSED, SPOOLED, agent, outcomes
from tests.faults.rig.disk import disk
from tests.faults.rig.ground import Ground, environment
from tests.faults.rig.processes import Process, python, running
from tests.faults.rig.waiting import until

LARGEST_BYTES = 2_000_000
"""What a file of the agent may grow to: a disk that only it finds full, and that needs no root to make."""
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
    """Let an agent push with Postgres away while the block runs, then kill it; give what it writes down."""
    away = ground.settings(database, url=f"postgresql://slowwave@/{database}?host={folder}", broker_url=None)
    env = environment(away) | {"SLOWWAVE_OUTBOX": str(outbox)}
    log = folder / "said"
    with running(Process(python("tests.faults.rig.agents", str(log), str(largest)), env, folder / "spills.log")) as it:
        yield log
        assert it.running, it.said()
        it.kill()


def until_refused(log: Path) -> None:
    """Wait until the outbox took no more."""
    until(lambda: len(outcomes(log)[REFUSED]) >= REFUSALS, "the outbox is full")


def prove_delivered(ground: Ground, database: str, log: Path, outbox: Path) -> None:
    """Assert that another agent with this *outbox* stores what was spooled, in order, and nothing that was refused."""
    said = outcomes(log)
    assert len(said[SPOOLED]) > REFUSALS, "it took too little to prove anything"
    with agent(ground, database, outbox) as successor:
        assert successor.spooler is not None
        successor.spooler.drain()
    with ground.superuser(database) as connection:
        rows = connection.execute("SELECT key FROM episodes ORDER BY position").fetchall()
    delivered = [key for (key,) in rows]
    assert [key for key in delivered if key in {*said[SPOOLED]}] == said[SPOOLED]
    assert not {*delivered} & {*said[REFUSED]}
    assert len(delivered) - len(said[SPOOLED]) <= 1, "more than the one it was killed at"
