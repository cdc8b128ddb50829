"""A Postgres that ends all sessions, refuses writes, is locked or dies keeps what it acknowledged."""

import os
import random
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from slowwave.errors import Unavailable
from slowwave.store.engine import STATEMENT_MS
from tests.faults.rig.agents import SOMEBODY, pair
from tests.faults.rig.corpus import Corpus
from tests.faults.rig.ground import Ground
from tests.faults.rig.processes import until
from tests.faults.rig.stage import SetUp, Stage, playing
from tests.faults.rig.tumult import Locksmith, end_sessions, exhausted, read_only
from tests.faults.rig.verdict import AT_ONCE
from tests.scripts import script

OUTLASTING = script(__file__, "outlasting.sql")


@pytest.mark.accept
def test_terminating_all_connections_changes_no_result(set_up: SetUp, ground: Ground, database: str) -> None:
    with set_up() as stage, playing(stage, pace=0.05):
        for _ in range(6):
            stage.under_way()
            with ground.superuser() as superuser:
                assert end_sessions(superuser, database)
            more(stage)

        stage.prove_with_worker()


@pytest.mark.accept
def test_postgres_killed_under_load_keeps_acknowledged_episodes(set_up: SetUp, ground: Ground) -> None:
    with set_up() as stage, playing(stage, pace=0.05):
        for _ in range(2):
            stage.under_way()
            ground.postgres.kill()
            ground.postgres.start()
            more(stage)

        stage.prove_with_worker()


@pytest.mark.soak
def test_random_locks_and_ended_database_sessions_change_no_fact(
    set_up: SetUp, ground: Ground, database: str, told: Corpus
) -> None:
    locksmith = Locksmith(ground, database, random.Random(told.seed))
    with set_up(worker_processes=2) as stage, playing(stage, pace=0.05):
        for _ in range(10):
            stage.under_way()
            locksmith.turn()

        stage.prove_with_worker()
    assert min(locksmith.cancelled, locksmith.ended) >= 4, locksmith


@pytest.mark.accept
def test_a_postgres_without_free_connections_refuses_at_once_and_work_resumes(
    set_up: SetUp, ground: Ground, database: str, told: Corpus, tmp_path: Path
) -> None:
    with set_up() as stage, playing(stage, pace=0.1):
        stage.under_way()
        with pair(ground, tmp_path) as agents:
            with exhausted(ground, database):
                runs, pushed = stage.count("runs"), stage.log.acknowledged()
                assert stage.count(AT_ONCE) or len(pushed) < len(told.said), "nothing is left to do"
                agents.refused(r"slots|too many clients")
                agents.spooled()
                until(lambda: "retry: " in stage.worker.said(), "the worker waits")
                assert (stage.count("runs"), stage.log.acknowledged()) == (runs, pushed)

            until(lambda: agents.stored() == 1, "what was spooled is stored by itself")
        stage.prove_with_worker()


@pytest.mark.accept
@pytest.mark.timeout(300)
def test_a_statement_that_outlasts_its_time_is_refused_and_repeated(
    set_up: SetUp, ground: Ground, database: str
) -> None:
    refusals: Counter[type[Exception]] = Counter()
    outlast(ground, database, facts=1, episodes=20)
    with set_up() as stage, playing(stage, refusals=refusals):
        stage.until(lambda: stage.count("runs WHERE outcome = 'narrowed'") == 1, "a run was refused")
        until(lambda: stage.rows("SELECT last_value > 20 FROM rig.episodes_writes") == [(True,)], "pushes go on")
        stage.prove_with_worker()
        assert stage.count("runs WHERE outcome = 'narrowed'") == 1  # its repetition reads half of the window
    assert refusals.keys() == {Unavailable}


def outlast(ground: Ground, database: str, **writes: int) -> None:
    """Let one of the *writes* of each table, by its number, take longer than any statement may."""
    with ground.superuser(database) as superuser:
        superuser.execute("CREATE SCHEMA rig")
        for table, number in writes.items():
            superuser.execute(OUTLASTING.format(table=table, number=number, seconds=2 * STATEMENT_MS / 1000).encode())


def more(stage: Stage) -> None:
    """Wait until another run succeeds and another push is acknowledged, as long as any are left."""
    runs, pushed = stage.done(), stage.pushed()
    stage.until(lambda: stage.done() > runs or stage.pushed() > pushed, "work and pushes go on")


@pytest.mark.accept
def test_a_read_only_postgres_makes_no_dead_letters_and_spooled_episodes_arrive_later(
    set_up: SetUp, ground: Ground, database: str, tmp_path: Path
) -> None:
    with pair(ground, tmp_path) as agents, set_up() as stage, playing(stage, pace=0.05):
        stage.under_way()
        with read_only(ground, database), read_only(ground, agents.database):
            runs, pushed = stage.count("runs WHERE finished IS NOT NULL"), stage.log.acknowledged()
            agents.refused("ReadOnly")
            agents.spooled()
            stage.until(lambda: "retry: " in stage.worker.said(), "the worker waits")
            assert (stage.count("runs WHERE finished IS NOT NULL"), stage.log.acknowledged()) == (runs, pushed)
            assert stage.count(AT_ONCE), "nothing is left to do"

        until(lambda: agents.stored() == 1, "what was spooled is stored by itself")
        assert [receipt.state for receipt in agents.hasty.push(SOMEBODY, ["I live in Bergen"])] == ["stored"]
        stage.prove_with_worker()
        assert stage.count("runs WHERE outcome = 'narrowed'") == 0


@pytest.mark.accept
def test_a_frozen_session_blocks_only_its_own_scope(set_up: SetUp, ground: Ground, database: str, told: Corpus) -> None:
    refusals: Counter[type[Exception]] = Counter()
    held = told.scopes[0]
    with set_up() as stage, playing(stage, refusals=refusals):
        stage.under_way()
        with frozen_holder(ground, database, f"FROM scope_heads WHERE scope = '{held.id}'"):
            others = f"runs WHERE outcome = 'ok' AND scope <> '{held.id}'"
            before = stage.count(others)
            until(lambda: refusals[Unavailable], "a push gave up waiting for the lock")
            stage.until(lambda: stage.count(others) > before, "others are served")

        stage.prove_with_worker()
    assert refusals.keys() == {Unavailable}


@contextmanager
def frozen_holder(ground: Ground, database: str, rows: str) -> Iterator[None]:
    """Let a session lock *rows* of *database* and freeze it during the block."""
    with psycopg.connect(ground.postgres.url("postgres", database)) as holder:
        assert holder.execute(f"SELECT 1 {rows} FOR UPDATE").rowcount, "nothing to hold"
        os.kill(holder.info.backend_pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(holder.info.backend_pid, signal.SIGCONT)
