"""kill -9 in `slowwave db migrate`: a migration is complete or absent, and the next one reaches the same schema."""

import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, Unavailable
from slowwave.memory import Memory, due_work
from slowwave.runtime import clock
from slowwave.store import migrate
from slowwave.store.beliefs.digest import digest
from slowwave.store.database import Database
from slowwave.testing import move_clock
from tests.catalog import schema
from tests.faults.rig.corpus import corpus
from tests.faults.rig.ground import Ground
from tests.faults.rig.migration import COMMIT, SAMPLES, count_steps, ended, halted, migrating, waiting, walked
from tests.faults.rig.processes import until
from tests.faults.rig.stage import SetUp, polling
from tests.faults.rig.verdict import outcome_of
from tests.faults.rig.verdict import undisturbed as lived_through_undisturbed
from tests.old_revisions.database import RENAMED, REVISION, columns, filled, renamed, rows, written


@dataclass(frozen=True)
class Undisturbed:
    """A database at the last old revision that counts steps, the steps to the newest, and the schema they end with."""

    template: str
    steps: list[tuple[int, str]]
    newest: str
    schema: Mapping[str, list[tuple[Any, ...]]]

    @property
    def within(self) -> list[int]:
        """The steps of the revisions, which are in one transaction."""
        return [step for step, revision in self.steps if revision != self.newest]

    @property
    def beyond(self) -> list[int]:
        """The later steps: the grant that ends the transaction, then partitions, each in its own transaction."""
        return [step for step, revision in self.steps if revision == self.newest]

    @property
    def middles(self) -> list[int]:
        """A step in the middle of the adoption of the old revision, and one in the middle of each later revision."""
        by_revision: dict[str, list[int]] = {}
        for step, revision in self.steps:
            by_revision.setdefault(revision, []).append(step)
        return [steps[len(steps) // 2] for revision, steps in by_revision.items() if revision != self.newest]

    @property
    def samples(self) -> list[int]:
        """A step in the middle of each sample revision."""
        return self.middles[-len(SAMPLES) :]

    @property
    def before_samples(self) -> int:
        """The number of steps before the first sample revision: the adoption, and the revisions of the checkout."""
        revisions = list(dict.fromkeys(revision for _, revision in self.steps if revision != self.newest))
        return sum(revision in revisions[: -len(SAMPLES)] for _, revision in self.steps)


@pytest.fixture(scope="module")
def undisturbed(ground: Ground) -> Iterator[Undisturbed]:
    """The expected result in a database that another version filled."""
    with filled(ground.postgres) as template:
        count_steps(ground, template)
        with ground.database(template) as database:
            assert ended(migrating(ground, database)) == 0
            made, steps = schema_of(ground, database), walked(ground, database)
            newest = revision_of(ground, database)
            assert digests(ground, database) == written().digests
        yield Undisturbed(template, steps, newest, made)


@pytest.mark.accept
def test_a_killed_migration_is_either_not_applied_or_complete_except_partitions(
    ground: Ground, undisturbed: Undisturbed
) -> None:
    adopted_and_later = len(list((Path(migrate.__file__).parent / "migrations" / "versions").glob("[0-9]*.py")))
    assert len(undisturbed.middles) == adopted_and_later + len(SAMPLES)

    survive(ground, undisturbed, undisturbed.middles, [len(undisturbed.beyond) // 2])


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_a_migration_killed_at_any_step_can_be_repeated(ground: Ground, undisturbed: Undisturbed) -> None:
    survive(ground, undisturbed, undisturbed.within, [2] * (len(undisturbed.beyond) - 1))


@pytest.mark.accept
@pytest.mark.parametrize("dies", [False, True], ids=["the first one ends well", "the first one dies"])
def test_the_second_of_two_migrations_waits_and_both_reach_the_same_schema(
    ground: Ground, undisturbed: Undisturbed, dies: bool
) -> None:
    with ground.database(undisturbed.template) as database:
        with halted(ground, database, undisturbed.middles[-1]) as first:
            second = migrating(ground, database)
            until(lambda: waiting(ground, database, "advisory") == 2, "the second waits for the first")
            if dies:
                first.kill()

        assert (ended(first) == 0, ended(second)) == (not dies, 0)
        whole(ground, database, undisturbed)


@pytest.mark.accept
def test_a_migration_under_load_loses_no_acknowledged_push(
    set_up: SetUp, ground: Ground, undisturbed: Undisturbed
) -> None:
    """A pushing agent, a recalling agent and a worker of the previous version run during the migration.

    While a revision is under way they wait, or are told to try again. What was learned long before is found all along.
    """
    told, refusals = corpus(episodes=30, scopes=2, tenant="globex"), Counter[type[Exception]]()
    unanswered = Counter[type[Exception]]()
    expected = lived_through_undisturbed(ground, told)
    with ground.database(undisturbed.template) as database:
        wiring.migrate_database(ground.postgres.url("slowwave_owner", database))
        move_clock(ground.postgres.url("slowwave_owner", database), written().now - clock.now())
        with (
            set_up(database=database, corpus=told, expected=expected) as stage,
            stage.pushing(2, refusals=refusals),
            asking(stage.parts, unanswered) as answers,
            polling(stage, overdue_seconds=0),
        ):
            until(stage.log.acknowledged, "a push is acknowledged")
            until(lambda: answers, "a question is answered")
            with halted(ground, database, undisturbed.samples[0] - undisturbed.before_samples) as migration:
                until(lambda: somebody_waits(ground, database), "somebody waits for the migration")
                time.sleep(1)  # wait for reports of pushes and reads from before the halt
                acknowledged, answered = stage.log.acknowledged(), len(answers)
                time.sleep(1)
                assert (stage.log.acknowledged(), len(answers)) == (acknowledged, answered)
            assert ended(migration) == 0
            until(lambda: len(answers) > answered, "a question is answered again")
            assert set(answers) == {"user lives in Bergen"}
            assert len(acknowledged) < len(told.said)
            until(lambda: stage.pushed() > len(acknowledged), "a push is acknowledged again")

        parts = wiring.connect(ground.settings(database, broker_url=None))
        due_work.fire(parts)
        due_work.drain(parts, None, 60)
        assert refusals.keys() | unanswered.keys() <= {Unavailable, Conflict}
        with parts.database.tenant("globex") as connection:
            assert outcome_of(connection) == expected
        assert stored(ground, database) == {key: [at] for key, at in stage.log.acknowledged().items()}
        assert list(wiring.checks(parts.database).findings(folds=None)) == []
        parts.close()


@pytest.mark.accept
def test_a_migration_that_loses_a_deadlock_is_retried(ground: Ground, undisturbed: Undisturbed) -> None:
    with ground.database(undisturbed.template) as database, ground.superuser(database) as works:
        works.execute("SET deadlock_timeout = '1min'")  # so that the migration is the session that times out

        def stand_in_the_way() -> None:
            with works.transaction():
                works.execute("LOCK TABLE facts IN ROW EXCLUSIVE MODE")  # the second sample locks it exclusively
                works.execute("TABLE scope_heads")  # the first sample has locked it

        with ThreadPoolExecutor() as pool, halted(ground, database, undisturbed.samples[0]) as migration:
            stood = pool.submit(stand_in_the_way)
            until(lambda: somebody_waits(ground, database), "who works waits for the migration")
        stood.result()
        assert ended(migration) == 0
        whole(ground, database, undisturbed)


@contextmanager
def asking(parts: wiring.Parts, refusals: Counter[type[Exception]]) -> Iterator[list[str]]:
    """Recall the home of the earlier version's user in a thread during the block; give the answers so far."""
    answers: list[str] = []
    ended = threading.Event()

    def ask() -> None:
        scope = Memory(parts).scope("nora", agent="concierge")
        while not ended.wait(0.05):
            try:
                answers.extend(one.text for one in scope.recall("Where does the user live?", limit=1))
            except (Unavailable, Conflict) as error:
                refusals[type(error)] += 1

    with ThreadPoolExecutor() as pool:
        asked = pool.submit(ask)
        try:
            yield answers
        finally:
            ended.set()
            asked.result(60)


def somebody_waits(ground: Ground, database: str) -> bool:
    """Return whether a session other than the migration waits for a table."""
    waiting = (
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() "
        "AND usename <> 'slowwave_owner' AND wait_event_type = 'Lock' AND wait_event = 'relation'"
    )
    return bool(ground.rows(database, waiting))


def stored(ground: Ground, database: str) -> dict[str, list[int]]:
    """Return the positions of each key of the load."""
    positions = "SELECT key, array_agg(position) FROM episodes WHERE tenant = 'globex' GROUP BY key"
    return dict(ground.rows(database, positions))


def survive(ground: Ground, undisturbed: Undisturbed, within: Sequence[int], beyond: Sequence[int]) -> None:
    """Kill several migrations of the same database, and let the last one finish.

    Each dies at one of the steps *within* the revisions, then one as it commits, then each at one of those *beyond*,
    counted from its own first.
    """
    with ground.database(undisturbed.template) as database:
        with ground.superuser(database) as connection:
            known = columns(connection)
            before = rows(connection, known)
        for step in within:
            assert killed_at(ground, database, step) == REVISION
        for step in (COMMIT, *beyond):
            assert killed_at(ground, database, step) == undisturbed.newest
        with ground.superuser(database) as connection:
            after = rows(connection, renamed(known))

        assert {name for name, held in before.items() if after[RENAMED.get(name, name)] != held} == {"revisions"}
        assert ended(migrating(ground, database)) == 0
        whole(ground, database, undisturbed)


def killed_at(ground: Ground, database: str, step: int) -> str:
    """Kill a migration at *step*; return the revision of the database."""
    with halted(ground, database, step) as migration:
        migration.kill()
        assert ended(migration) == -signal.SIGKILL
    return revision_of(ground, database)


def whole(ground: Ground, database: str, undisturbed: Undisturbed) -> None:
    """Assert that *database* is migrated completely."""
    assert revision_of(ground, database) == undisturbed.newest
    assert digests(ground, database) == written().digests
    found = schema_of(ground, database)
    for kind, wanted in undisturbed.schema.items():
        assert found[kind] == wanted, kind


def schema_of(ground: Ground, database: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return the schema and the partitions."""
    with ground.superuser(database) as connection:
        partitions = connection.execute("SELECT parent, name, lo, hi FROM slowwave_partitions() ORDER BY name")
        return {**schema(connection), "partitions": partitions.fetchall()}


def revision_of(ground: Ground, database: str) -> str:
    ((revision,),) = ground.rows(database, "SELECT version_num FROM alembic_version")
    return str(revision)


def digests(ground: Ground, database: str) -> dict[Scope, str]:
    """Return the digest of every scope."""
    store = Database(ground.postgres.url(database=database))
    try:
        found = {}
        for scope in written().digests:
            with store.tenant(scope.tenant) as connection:
                found[scope] = digest(connection, scope.id)
        return found
    finally:
        store.close()
