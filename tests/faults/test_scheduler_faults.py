"""Three schedulers, of which some are killed at their tick, fire every window exactly once."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.rig.corpus import Corpus
from tests.faults.rig.processes import Process, python, running, until
from tests.faults.rig.sabotaged_scheduler import POINTS
from tests.faults.rig.stage import SetUp, Stage, polling

pytestmark = pytest.mark.accept

BEAT = python(
    "celery", "-A", "tests.faults.rig.sabotaged_scheduler", "beat",
    "-S", "tests.faults.rig.sabotaged_scheduler:BreakingScheduler",
)  # fmt: skip


def test_three_schedulers_of_which_two_are_killed_fire_each_window_once(
    set_up: SetUp, told: Corpus, tmp_path: Path
) -> None:
    with set_up() as stage, polling(stage, overdue_seconds=0), ExitStack() as stack:
        schedulers = [Process(BEAT, stage.worker.env, tmp_path / f"beat{number}.log") for number in range(3)]
        for scheduler in schedulers:
            stack.enter_context(running(scheduler))
        until(lambda: stage.count("processes WHERE role = 'scheduler'") == 3, "all three tick")
        with stage.pushing():
            for point in POINTS:
                stage.sabotage.arm(point)
            victims = {stage.broken(point) for point in POINTS}
            assert len(victims) == 2
            (left,) = [scheduler for scheduler in schedulers if scheduler.pid not in victims]
            _some_more(stage, 2, left)
        stage.prove()

        left.kill()
        fired = len(_windows(stage))
        until(lambda: stage.rows(_MISSED)[0][0], "windows pass that no scheduler is there for")
        left.start()
        _some_more(stage, fired, left)

        windows = _windows(stage)
        assert windows == list(range(windows[0], windows[0] + len(windows))), "a window was left out"
        firings = stage.rows("SELECT schedule, scope, at_window, count(*) FROM firings GROUP BY 1, 2, 3")
        assert {count for *_, count in firings} == {1}
        assert _counted(stage) == {(scope.id, at) for scope in told.scopes for at in _due(len(told.of(scope)))}


_MISSED = """
SELECT extract(epoch FROM now()) > max(split_part(at_window, 'x', 1)::bigint) + 3 FROM firings
WHERE schedule = 'everyday/interval'
"""


def _windows(stage: Stage) -> list[int]:
    """Return the seconds of the firings of the installation, in order."""
    rows = stage.rows(
        "SELECT split_part(at_window, 'x', 1)::bigint FROM firings WHERE schedule = 'everyday/interval' "
        "AND scope = '00000000-0000-0000-0000-000000000000' ORDER BY 1"
    )
    return [number for (number,) in rows]


def _some_more(stage: Stage, than: int, scheduler: Process) -> None:
    until(lambda: len(_windows(stage)) > than, "more windows fire", otherwise=scheduler.said)


def _counted(stage: Stage) -> set[tuple[object, int]]:
    rows = stage.rows("SELECT scope, at_window::int FROM firings WHERE schedule = 'everyday/count'")
    return {(scope, at) for scope, at in rows}


def _due(episodes: int, every: int = 5) -> range:
    return range(every, episodes + 1, every)
