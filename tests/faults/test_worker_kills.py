"""Workers that are killed or asked to end, alone or with their group: work continues or is given back."""

import signal
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.rig.processes import Process, celery_beat, python, running, until
from tests.faults.rig.saboteur import NEVER, POINTS
from tests.faults.rig.stage import SetUp, Stage, playing, restarting
from tests.faults.rig.verdict import AT_ONCE


@pytest.mark.accept
def test_a_worker_child_killed_at_any_point_of_a_run_changes_nothing(set_up: SetUp) -> None:
    with set_up(worker_processes=3) as stage:
        for point in (*POINTS, NEVER):
            stage.sabotage.arm(point)
        with playing(stage):
            victims = [stage.broken(point) for point in POINTS]
            assert stage.count(AT_ONCE), "the backlog ran out before the last kill"
            stage.prove()

            assert len(set(victims)) == len(POINTS)
            assert stage.sabotage.armed(NEVER), "a run wrote in more than one transaction"
            assert stage.count("runs WHERE outcome = 'vanished'") >= 3  # the kills between claim and commit


@pytest.mark.accept
def test_the_worker_and_then_its_whole_group_killed_changes_nothing(set_up: SetUp) -> None:
    with set_up(worker_processes=2) as stage, playing(stage):
        stage.under_way()
        stage.worker.kill()
        stage.worker.start()

        before = stage.count("runs")
        stage.until(lambda: stage.count("runs") > before + 2, "the new worker works")
        assert stage.count(AT_ONCE), "the backlog ran out before the second kill"
        stage.worker.kill_group()
        stage.worker.start()

        stage.prove()


POLLER = python("slowwave.cli", "work", "--overdue", "0.5")


@pytest.mark.soak
@pytest.mark.timeout(300)  # seven programs start
def test_hangups_and_quits_to_worker_scheduler_and_poller_lose_nothing(set_up: SetUp, tmp_path: Path) -> None:
    with set_up(worker_processes=2) as stage, ExitStack() as stack:
        beat = Process(celery_beat(), stage.worker.env, tmp_path / "beat.log")
        poller = Process(POLLER, stage.worker.env, tmp_path / "poller.log")
        for program in (stage.worker, beat, poller):
            stack.enter_context(running(program))
            stack.enter_context(restarting(program))
        until(lambda: stage.count("processes WHERE role = 'scheduler'"), "the scheduler ticks", otherwise=beat.said)
        stack.enter_context(stage.pushing(0.3))
        for asked in (signal.SIGHUP, signal.SIGQUIT):
            for program in (stage.worker, beat, poller):
                stage.under_way()
                done = stage.done()
                program.ask(asked)
                until(
                    lambda done=done: more(stage, done),  # type: ignore[misc]
                    f"work goes on after {asked.name}",
                    otherwise=program.said,
                )

        stage.prove()
        assert stage.count("runs WHERE outcome = 'narrowed'") == 0


def more(stage: Stage, done: int) -> bool:
    """Return whether another run succeeded since there were *done*."""
    return stage.done() > done
