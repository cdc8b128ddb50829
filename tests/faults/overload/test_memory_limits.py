"""A worker that reaches its memory limit ends without blaming an episode, and a new one continues."""

from pathlib import Path

import psutil
import pytest

from tests.faults.rig.corpus import Corpus
from tests.faults.rig.ground import Ground
from tests.faults.rig.processes import limit, running, until
from tests.faults.rig.pusher import telling
from tests.faults.rig.saboteur import EATEN_BYTES, EATS
from tests.faults.rig.stage import ringing, set_up
from tests.faults.rig.verdict import Outcome, state

pytestmark = pytest.mark.accept


def test_workers_that_run_out_of_memory_condemn_no_episode_and_are_replaced(
    ground: Ground, database: str, told: Corpus, expected: Outcome, tmp_path: Path
) -> None:
    with set_up(ground, database, tmp_path, worker_processes=2) as stage, running(stage.worker), ringing(stage):
        until(lambda: "ready" in stage.worker.said(), "the worker is ready", otherwise=stage.worker.said)
        stage.sabotage.arm(EATS)
        limited = [limit(child, EATEN_BYTES // 2) for child in stage.worker.children()]
        assert len(limited) == 2
        with telling(stage.parts, told, stage.log):
            until(lambda: stage.count(MET), "a run had no memory", otherwise=lambda: state(ground, database))
            until(lambda: not all(map(alive, limited)), "its process has ended", otherwise=stage.worker.said)

            stage.prove(told, expected)
            assert stage.worker.running, stage.worker.said()


MET = "runs WHERE outcome IN ('faulted', 'narrowed') AND error = 'its process had no memory left'"


def alive(process: psutil.Process) -> bool:
    """Return whether the process has not ended."""
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
