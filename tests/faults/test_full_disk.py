"""A disk that is really full: what cannot be written is refused or spooled, nobody is blamed, and room heals it."""

from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.errors import Unavailable
from tests.faults.rig.agents import SOMEBODY, agent, stored
from tests.faults.rig.corpus import Corpus
from tests.faults.rig.disk import disk
from tests.faults.rig.ground import Ground
from tests.faults.rig.stage import Stage, playing, set_up
from tests.faults.rig.verdict import AT_ONCE, Outcome
from tests.faults.rig.waiting import until

LARGE = "I live in Oslo. " * 4_000
"""More than fits into the room that a table has left in its last pages."""


@pytest.mark.soak
def test_a_full_disk_buries_nobody_and_all_goes_on_once_there_is_room(
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


def exhaust(agent: wiring.Parts) -> None:
    """Push until what is left in the last pages of the tables is used up too."""
    for _ in range(100):
        agent.push(SOMEBODY, [LARGE])


def refused(stage: Stage) -> bool:
    """Return whether a run could not write what it had thought."""
    return "retry: Postgres" in stage.worker.log.read_text()
