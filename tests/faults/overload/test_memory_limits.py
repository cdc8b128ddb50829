"""A worker that reaches its memory limit ends without blaming an episode, and a new one continues."""

import psutil
import pytest

from tests.faults.rig.ground import Ground
from tests.faults.rig.processes import limit, running, until
from tests.faults.rig.saboteur import EATEN_BYTES, EATS
from tests.faults.rig.stage import SetUp, ringing
from tests.faults.rig.verdict import state

pytestmark = pytest.mark.accept


def test_workers_that_run_out_of_memory_condemn_no_episode_and_are_replaced(
    set_up: SetUp, ground: Ground, database: str
) -> None:
    with set_up(worker_processes=2) as stage, running(stage.worker), ringing(stage):
        stage.ready()
        stage.sabotage.arm(EATS)
        limited = [limit(child, EATEN_BYTES // 2) for child in stage.worker.children()]
        assert len(limited) == 2
        with stage.pushing():
            until(lambda: stage.count(MET), "a run had no memory", otherwise=lambda: state(ground, database))
            stage.until(lambda: not all(map(alive, limited)), "its process has ended")

            stage.prove_with_worker()


MET = "runs WHERE outcome IN ('faulted', 'narrowed') AND error = 'its process had no memory left'"


def alive(process: psutil.Process) -> bool:
    """Return whether the process has not ended."""
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
