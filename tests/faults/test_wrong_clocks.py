"""Wrong clocks, and workers that are frozen for longer than their lease."""

from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest

from slowwave.testing import move_clock
from tests.faults.rig.processes import Process, celery_beat, frozen, running, thaw, until
from tests.faults.rig.skewed import skewed
from tests.faults.rig.stage import SetUp, Stage, playing
from tests.faults.rig.verdict import AT_ONCE

pytestmark = pytest.mark.accept

HOUR = timedelta(hours=1)


def test_clocks_hours_wrong_fire_each_window_once_and_block_no_scope(set_up: SetUp, tmp_path: Path) -> None:
    with set_up() as stage, ExitStack() as stack:
        stage.worker.command = skewed(stage.worker.command, 2 * HOUR)
        stack.enter_context(running(stage.worker))
        for number, off in enumerate((HOUR, -HOUR)):
            beat = Process(skewed(celery_beat(), off), stage.worker.env, tmp_path / f"beat{number}.log")
            stack.enter_context(running(beat))
        until(lambda: stage.count("processes WHERE role = 'scheduler'") == 2, "both tick")
        stack.enter_context(stage.pushing(0.05))
        stage.under_way()

        move_clock(owner(stage), HOUR)
        stage.sabotage.arm("freeze-before-claim")  # all later claims read the wrong clock
        waiting = stage.broken("freeze-before-claim")
        until(lambda: frozen(waiting), "the worker is frozen")
        stage.sabotage.arm("after-claim")
        thaw(waiting)
        stage.broken("after-claim")
        assert stage.count(AHEAD), "nobody holds a lease by the wrong clock"
        assert stage.count(AT_ONCE)
        move_clock(owner(stage), timedelta())

        stage.prove()
        firings = stage.rows("SELECT schedule, scope, at_window, count(*) FROM firings GROUP BY 1, 2, 3")
        assert {count for *_, count in firings} == {1}
        assert stage.count("runs WHERE outcome = 'vanished'") == 1


AHEAD = "scope_leases WHERE until > now() + interval '59 minutes'"


def owner(stage: Stage) -> str:
    """Return the owner's address, by which tests set the database's clock."""
    assert stage.settings.owner_url is not None
    return stage.settings.owner_url.get_secret_value()


@pytest.mark.parametrize("point", ["proposing", "before-commit"])
def test_a_worker_frozen_past_its_lease_is_fenced_and_nothing_counts_twice(set_up: SetUp, point: str) -> None:
    with set_up(worker_processes=2) as stage:
        stage.sabotage.arm(f"freeze-{point}")
        with playing(stage):
            victim = stage.broken(f"freeze-{point}")
            until(lambda: frozen(victim), "the worker is frozen")
            until(lambda: taken_over(stage), "another worker has taken over and got through")

            thaw(victim)
            stage.until(lambda: stage.sabotage.refused(victim), "the late worker was refused")
            stage.prove()


def taken_over(stage: Stage) -> bool:
    """Return whether another run completed the window of a vanished run, whose locks are released before a commit."""
    return bool(stage.count("runs a JOIN runs b USING (intent) WHERE a.outcome = 'vanished' AND b.outcome = 'ok'"))
