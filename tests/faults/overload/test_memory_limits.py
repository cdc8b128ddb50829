"""A worker that reaches its memory limit ends without blaming an episode, and work goes on when there is memory."""

import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil
import pytest

from tests.faults.rig.ground import Ground
from tests.faults.rig.processes import limit, running, until
from tests.faults.rig.saboteur import EATEN_BYTES, EATS
from tests.faults.rig.stage import SetUp, Stage, ringing
from tests.faults.rig.verdict import AT_ONCE, state

pytestmark = pytest.mark.accept
STARVED_SECONDS, LONGEST_WAIT_SECONDS = 30, 60
MET = "runs WHERE outcome IN ('faulted', 'narrowed') AND error = 'its process had no memory left'"


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


def test_each_scope_is_read_within_a_minute_after_memory_is_there_again(set_up: SetUp) -> None:
    with set_up(worker_processes=2) as stage, running(stage.worker), ringing(stage):
        stage.ready()
        stage.sabotage.arm(EATS)
        with starving(stage), stage.pushing():
            threading.Event().wait(STARVED_SECONDS)
        ((lifted, waiting),) = stage.rows(f"SELECT now(), array_agg(DISTINCT scope) FROM {AT_ONCE}")
        failures = stage.count(MET)

        stage.prove_with_worker()

        assert failures > 2
        assert waiting
        after = stage.rows(
            f"SELECT scope, extract(epoch FROM min(started) - '{lifted}') FROM runs "
            f"WHERE outcome = 'ok' AND started > '{lifted}' AND job IN ('prepare', 'consolidate') GROUP BY scope"
        )
        assert {scope for scope, _ in after} >= set(waiting)
        assert max(waited for _, waited in after) <= LONGEST_WAIT_SECONDS


@contextmanager
def starving(stage: Stage) -> Iterator[None]:
    """Keep every child of the worker, old or new, below its memory limit during the block; then lift the limits."""
    over, limited = threading.Event(), dict[int, psutil.Process]()

    def starve() -> None:
        while not over.wait(0.05):
            for child in stage.worker.children():
                if child.pid not in limited:
                    with suppress(psutil.Error):
                        limited[child.pid] = limit(child, EATEN_BYTES // 2)

    thread = threading.Thread(target=starve, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        for child in limited.values():
            with suppress(psutil.Error):
                child.rlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def alive(process: psutil.Process) -> bool:
    """Return whether the process has not ended."""
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
