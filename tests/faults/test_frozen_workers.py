"""Workers that are stopped in their tracks for longer than their lease, and then go on as if nothing had been."""

from pathlib import Path

import pytest

from tests.faults.rig.corpus import Corpus
from tests.faults.rig.ground import Ground
from tests.faults.rig.processes import frozen, thaw
from tests.faults.rig.stage import Stage, playing, set_up
from tests.faults.rig.verdict import Outcome
from tests.faults.rig.waiting import until

pytestmark = pytest.mark.accept


@pytest.mark.parametrize("point", ["proposing", "before-commit"])
def test_a_worker_frozen_past_its_lease_is_fenced_and_nothing_counts_twice(
    ground: Ground, database: str, told: Corpus, expected: Outcome, tmp_path: Path, point: str
) -> None:
    with set_up(ground, database, tmp_path, worker_processes=2) as stage:
        stage.sabotage.arm(f"freeze-{point}")
        with playing(stage, told):
            victim = stage.broken(f"freeze-{point}")
            until(lambda: frozen(victim), "the worker is frozen")
            until(lambda: taken_over(stage), "another worker has taken over and got through")

            thaw(victim)
            until(lambda: stage.sabotage.refused(victim), "the late worker was refused", otherwise=stage.worker.said)
            stage.prove(told, expected)


def taken_over(stage: Stage) -> bool:
    """Whether a window whose run vanished was done by another one; even before a commit, its locks were let go."""
    return bool(stage.count("runs a JOIN runs b USING (intent) WHERE a.outcome = 'vanished' AND b.outcome = 'ok'"))
