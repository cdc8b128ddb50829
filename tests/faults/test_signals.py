"""Signals that ask for an end or a new start, to every program again and again: work goes on or is given back."""

import signal
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.rig.corpus import Corpus
from tests.faults.rig.ground import Ground
from tests.faults.rig.processes import Process, python, running
from tests.faults.rig.pusher import telling
from tests.faults.rig.stage import Stage, restarting, set_up
from tests.faults.rig.verdict import Outcome
from tests.faults.rig.waiting import until

BEAT = python("celery", "-A", "scheduler.beat", "beat", "-S", "scheduler.beat:PostgresScheduler", "--pidfile=")
POLLER = python("slowwave.cli", "work", "--overdue", "0.5")


@pytest.mark.soak
@pytest.mark.timeout(300)  # seven programs start
def test_hangups_and_quits_to_worker_scheduler_and_poller_lose_nothing(
    ground: Ground, database: str, told: Corpus, expected: Outcome, tmp_path: Path
) -> None:
    with set_up(ground, database, tmp_path, worker_processes=2) as stage, ExitStack() as stack:
        beat = Process(BEAT, stage.worker.env, tmp_path / "beat.log")
        poller = Process(POLLER, stage.worker.env, tmp_path / "poller.log")
        for program in (stage.worker, beat, poller):
            stack.enter_context(running(program))
            stack.enter_context(restarting(program))
        until(lambda: stage.count("processes WHERE role = 'scheduler'"), "the scheduler ticks", otherwise=beat.said)
        stack.enter_context(telling(stage.parts, told, stage.log, pace_seconds=0.3))
        for asked in (signal.SIGHUP, signal.SIGQUIT):
            for program in (stage.worker, beat, poller):
                stage.under_way()
                done = stage.count("runs WHERE outcome = 'ok'")
                program.ask(asked)
                until(
                    lambda done=done: more(stage, done),  # type: ignore[misc]
                    f"work goes on after {asked.name}",
                    otherwise=program.said,
                )

        stage.prove(told, expected)
        assert stage.count("runs WHERE outcome = 'narrowed'") == 0


def more(stage: Stage, done: int) -> bool:
    """Return whether another run got through since there were *done*."""
    return stage.count("runs WHERE outcome = 'ok'") > done
