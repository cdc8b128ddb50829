"""A disk that is really full: what cannot be written is refused or spooled, nobody is blamed, and room heals it."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.errors import Unavailable
from tests.faults.rig.agents import SOMEBODY, agent, stored
from tests.faults.rig.corpus import Corpus
from tests.faults.rig.disk import disk, on_its_own_log
from tests.faults.rig.ground import Ground
from tests.faults.rig.stage import Stage, playing, set_up
from tests.faults.rig.verdict import AT_ONCE, Outcome
from tests.faults.rig.waiting import until

SEGMENTS = 400
"""Pushes of 60 KB that no compression makes smaller: more than a segment of the log holds."""
LARGE = "I live in Oslo. " * 4_000
"""More than fits into the room that a table has left in its last pages."""


@pytest.mark.soak
def test_a_full_disk_makes_no_dead_letters_and_work_resumes_with_space(
    ground: Ground, told: Corpus, expected: Outcome, tmp_path: Path
) -> None:
    with (
        disk(ground.home / "small", megabytes=400) as small,
        ground.tablespace(small.folder) as space,
        ground.database(tablespace=space) as database,
        ground.database(tablespace=space) as other,
        agent(ground, other) as hasty,
        agent(ground, other, tmp_path / "outbox") as patient,
        set_up(ground, database, tmp_path, worker_processes=2) as stage,
        playing(stage, told, pace=0.1),
    ):
        stage.under_way()
        hasty.push(SOMEBODY, ["I live in Oslo"])  # a database that nobody has entered yet lets nobody in without room
        small.fill()
        with pytest.raises(Unavailable, match=r"DiskFull|No space left"):
            exhaust(hasty)
        before = stored(ground, other)
        assert [receipt.state for receipt in patient.push(SOMEBODY, [LARGE])] == ["spooled"]
        until(lambda: refused(stage), "a run found no room", otherwise=stage.worker.said)
        assert small.full
        assert stage.count(AT_ONCE), "nothing is left to do"
        assert not stage.count("dead_letters")

        small.clear()
        until(lambda: stored(ground, other) == before + 1, "what was spooled is stored by itself")
        stage.prove(told, expected)
        assert stage.count("runs WHERE outcome = 'narrowed'") == 0
        assert stage.worker.running, stage.worker.said()


@pytest.mark.soak
@pytest.mark.timeout(300)  # a second Postgres, which starts three times
def test_postgres_without_space_for_its_log_stops_and_restarts_with_space(
    ground: Ground, told: Corpus, expected: Outcome, tmp_path: Path
) -> None:
    with (
        disk(ground.home / "log", megabytes=128) as small,
        on_its_own_log(ground, small) as narrow,
        narrow.database() as database,
        narrow.database() as other,
        agent(narrow, other) as hasty,
        agent(narrow, other, tmp_path / "outbox") as patient,
        set_up(narrow, database, tmp_path, worker_processes=2) as stage,
        playing(stage, told, pace=0.1),
    ):
        stage.under_way()
        small.fill()
        acknowledged = sum(1 for _ in taken(hasty))
        until(lambda: narrow.postgres.pid is None, "Postgres has ended itself")
        assert [receipt.state for receipt in patient.push(SOMEBODY, ["I live in Oslo"])] == ["spooled"]

        small.clear()
        narrow.postgres.start()
        until(
            lambda: stored(narrow, other) in (acknowledged + 1, acknowledged + 2),  # the last answer may have been lost
            "what was acknowledged and what was spooled is stored",
        )
        stage.prove(told, expected)
        assert stage.count("runs WHERE outcome = 'narrowed'") == 0


def exhaust(agent: wiring.Parts) -> None:
    """Push until what is left in the last pages of the tables is used up too."""
    for _ in range(100):
        agent.push(SOMEBODY, [LARGE])


def refused(stage: Stage) -> bool:
    """Return whether a run could not write what it had thought."""
    return "retry: Postgres" in stage.worker.log.read_text()


def taken(agent: wiring.Parts) -> Iterator[None]:
    """Push one large episode after the other until one is refused; give one for each that was acknowledged."""
    for _ in range(SEGMENTS):
        try:
            agent.push(SOMEBODY, [secrets.token_hex(30_000)])
        except Unavailable:
            return
        yield
    raise AssertionError("the disk was never full")
