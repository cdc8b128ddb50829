"""Postgres that throws everybody out, or dies and recovers: what it acknowledged holds."""

from pathlib import Path

from tests.faults.rig.corpus import Corpus
from tests.faults.rig.ground import Ground
from tests.faults.rig.stage import Stage, playing, set_up
from tests.faults.rig.verdict import Outcome
from tests.faults.rig.waiting import until


def test_every_connection_terminated_again_and_again_changes_nothing(
    ground: Ground, database: str, told: Corpus, expected: Outcome, tmp_path: Path
) -> None:
    with set_up(ground, database, tmp_path) as stage, playing(stage, told, pace=0.05):
        for _ in range(6):
            stage.under_way()
            assert terminate(ground, database)
            more(stage)

        stage.prove(told, expected)
        assert stage.worker.running, stage.worker.said()


def test_postgres_killed_and_restarted_under_load_keeps_what_it_acknowledged(
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


def terminate(ground: Ground, database: str) -> int:
    """End every session on *database*, whatever it is at; return how many there were."""
    with ground.superuser() as connection:
        rows = connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [database]
        ).fetchall()
    return len(rows)


def more(stage: Stage) -> None:
    """Wait until another run has got through and another push was acknowledged, as long as any is to come."""
    runs, pushed = stage.count("runs WHERE outcome = 'ok'"), len(stage.log.acknowledged())
    until(
        lambda: stage.count("runs WHERE outcome = 'ok'") > runs or len(stage.log.acknowledged()) > pushed,
        "work and pushes go on",
        otherwise=stage.worker.said,
    )
