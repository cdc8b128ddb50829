"""Postgres that throws everybody out, lets nobody in, is locked, or dies and recovers: what it acknowledged holds."""

import random
from pathlib import Path

import pytest

from slowwave.errors import Unavailable
from tests.faults.rig.agents import SOMEBODY, agent, stored
from tests.faults.rig.corpus import Corpus
from tests.faults.rig.ground import Ground
from tests.faults.rig.stage import Stage, playing, set_up
from tests.faults.rig.tumult import Locksmith, end_sessions, exhausted
from tests.faults.rig.verdict import AT_ONCE, Outcome
from tests.faults.rig.waiting import until


@pytest.mark.accept
def test_terminating_all_connections_changes_no_result(
    ground: Ground, database: str, told: Corpus, expected: Outcome, tmp_path: Path
) -> None:
    with set_up(ground, database, tmp_path) as stage, playing(stage, told, pace=0.05):
        for _ in range(6):
            stage.under_way()
            with ground.superuser() as superuser:
                assert end_sessions(superuser, database)
            more(stage)

        stage.prove(told, expected)
        assert stage.worker.running, stage.worker.said()


@pytest.mark.accept
def test_postgres_killed_under_load_keeps_acknowledged_episodes(
    ground: Ground, database: str, told: Corpus, expected: Outcome, tmp_path: Path
) -> None:
    with set_up(ground, database, tmp_path) as stage, playing(stage, told, pace=0.05):
        for _ in range(2):
            stage.under_way()
            ground.postgres.kill()
            ground.postgres.start()
            more(stage)

        stage.prove(told, expected)
        assert stage.worker.running, stage.worker.said()


@pytest.mark.soak
def test_random_locks_and_ended_database_sessions_change_no_fact(
    ground: Ground, database: str, told: Corpus, expected: Outcome, tmp_path: Path
) -> None:
    locksmith = Locksmith(ground, database, random.Random(told.seed))
    with set_up(ground, database, tmp_path, worker_processes=2) as stage, playing(stage, told, pace=0.05):
        for _ in range(10):
            stage.under_way()
            locksmith.turn()

        stage.prove(told, expected)
        assert stage.worker.running, stage.worker.said()
    assert min(locksmith.cancelled, locksmith.ended) >= 4, locksmith


@pytest.mark.accept
def test_a_postgres_without_free_connections_refuses_at_once_and_work_resumes(
    ground: Ground, database: str, told: Corpus, expected: Outcome, tmp_path: Path
) -> None:
    with set_up(ground, database, tmp_path) as stage, playing(stage, told, pace=0.1):
        stage.under_way()
        with (
            ground.database() as other,
            agent(ground, other) as hasty,
            agent(ground, other, tmp_path / "box") as patient,
        ):
            with exhausted(ground, database):
                runs, pushed = stage.count("runs"), stage.log.acknowledged()
                assert stage.count(AT_ONCE) or len(pushed) < len(told.said), "nothing is left to do"
                with pytest.raises(Unavailable, match=r"slots|too many clients"):
                    hasty.push(SOMEBODY, ["I live in Oslo"])
                assert [receipt.state for receipt in patient.push(SOMEBODY, ["I live in Oslo"])] == ["spooled"]
                until(lambda: "retry: " in stage.worker.said(), "the worker waits")
                assert (stage.count("runs"), stage.log.acknowledged()) == (runs, pushed)

            until(lambda: stored(ground, other) == 1, "what was spooled is stored by itself")
        stage.prove(told, expected)
        assert stage.worker.running, stage.worker.said()


def more(stage: Stage) -> None:
    """Wait until another run has got through and another push was acknowledged, as long as any is to come."""
    runs, pushed = stage.count("runs WHERE outcome = 'ok'"), len(stage.log.acknowledged())
    until(
        lambda: stage.count("runs WHERE outcome = 'ok'") > runs or len(stage.log.acknowledged()) > pushed,
        "work and pushes go on",
        otherwise=stage.worker.said,
    )
