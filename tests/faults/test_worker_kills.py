"""Workers that are killed without a word: at any point of a run, alone or with their whole group."""

from pathlib import Path

import pytest

from tests.faults.rig.corpus import Corpus
from tests.faults.rig.ground import Ground
from tests.faults.rig.saboteur import NEVER, POINTS
from tests.faults.rig.stage import playing, set_up
from tests.faults.rig.verdict import AT_ONCE, Outcome
from tests.faults.rig.waiting import until


@pytest.mark.accept
def test_a_worker_child_killed_at_any_point_of_a_run_changes_nothing(
    ground: Ground, database: str, told: Corpus, expected: Outcome, tmp_path: Path
) -> None:
    with set_up(ground, database, tmp_path, worker_processes=3) as stage:
        for point in (*POINTS, NEVER):
            stage.sabotage.arm(point)
        with playing(stage, told):
            victims = [stage.broken(point) for point in POINTS]
            assert stage.count(AT_ONCE), "the backlog ran out before the last kill"
            stage.prove(told, expected)

            assert len(set(victims)) == len(POINTS)
            assert stage.sabotage.armed(NEVER), "a run wrote in more than one transaction"
            assert stage.count("runs WHERE outcome = 'vanished'") >= 3  # the kills between claim and commit


@pytest.mark.accept
def test_the_worker_and_then_its_whole_group_killed_changes_nothing(
    ground: Ground, database: str, told: Corpus, expected: Outcome, tmp_path: Path
) -> None:
    with (
        set_up(ground, database, tmp_path, worker_processes=2) as stage,
        playing(stage, told),
    ):
        stage.under_way()
        stage.worker.kill()
        stage.worker.start()

        before = stage.count("runs")
        until(lambda: stage.count("runs") > before + 2, "the new worker works", otherwise=stage.worker.said)
        assert stage.count(AT_ONCE), "the backlog ran out before the second kill"
        stage.worker.kill_group()
        stage.worker.start()

        stage.prove(told, expected)
