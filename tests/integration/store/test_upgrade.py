"""A database of the previous version, once migrated, keeps its beliefs, answers and continues its work."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from slowwave import wiring
from slowwave.cli import main
from slowwave.domain.fact import in_words
from slowwave.domain.scope import Scope
from slowwave.embedded_services import PostgresServer
from slowwave.memory import Memory, MemoryScope, due_work
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from slowwave.store import migrate
from slowwave.testing import stop_clock
from tests.catalog import schema
from tests.databases import copied
from tests.integration.command import Run
from tests.old_revisions.database import REVISION, columns, filled, rows, upgrade, written

VERSIONS = Path(migrate.__file__).parent / "migrations" / "versions"
LATER = sorted(path.name[:4] for path in VERSIONS.glob("[0-9]*.py") if path.name[:4] > REVISION)
SPARED = {"places", "segments", "topics"}
"""What needs a ladder with room, or a trigger of its own: no row of them came to be."""

NORA = Scope("default", "nora", "concierge")
TRIP = Scope("default", "nora", "concierge", "trip")
DESK = Scope("acme", "omar", "helper", "desk")


@pytest.fixture(scope="module")
def before(postgres_server: PostgresServer) -> Iterator[str]:
    """The database of the previous version."""
    with filled(postgres_server) as name:
        yield name


@pytest.fixture(scope="module")
def after(postgres_server: PostgresServer, before: str) -> Iterator[str]:
    """A copy of it that was migrated as an operator does it."""
    with copied(postgres_server, before, "after") as name, pytest.MonkeyPatch.context() as variables:
        variables.setenv("SLOWWAVE_URL", postgres_server.url(database=name))
        variables.setenv("SLOWWAVE_OWNER_URL", postgres_server.url("slowwave_owner", name))
        main(["db", "migrate"])  # what goes wrong ends it with a status
        yield name


@pytest.fixture
def database_name(postgres_server: PostgresServer, after: str) -> Iterator[str]:
    """A copy of the migrated one for one test."""
    with copied(postgres_server, after, "upgraded") as name:
        yield name


@pytest.fixture
def memory(settings: Settings, heavy_parts: dict[str, object]) -> Iterator[Memory]:
    """A memory on the copy that was migrated."""
    parts = wiring.connect(settings)
    vars(parts).update(heavy_parts)
    with Memory(parts) as memory:
        yield memory


@pytest.fixture
def left(postgres_server: PostgresServer, before: str) -> Iterator[psycopg.Connection]:
    """A copy of the database of the previous version, as a superuser without row-level security."""
    with (
        copied(postgres_server, before, "left") as name,
        psycopg.connect(postgres_server.url("postgres", name), autocommit=True) as connection,
    ):
        yield connection


def within(memory: Memory, scope: Scope) -> MemoryScope:
    return memory.scope(scope.user, agent=scope.agent, channel=scope.channel, tenant=scope.tenant)


def digests(memory: Memory) -> Mapping[Scope, str]:
    return {scope: within(memory, scope).digest() for scope in written().digests}


def believed(memory: Memory, scope: Scope) -> Sequence[str]:
    """The facts of one channel, as the previous version listed them."""
    facts = [fact for fact in within(memory, scope).facts() if fact.scope == scope]
    return sorted(in_words(fact.subject, fact.predicate, fact.object) for fact in facts)


def test_the_upgrade_test_has_rows_of_every_table(left: psycopg.Connection) -> None:
    held = rows(left, columns(left))

    assert {table for table, found in held.items() if not found} == SPARED
    assert len(held["scope_heads"]) == len(written().digests)
    made = {name: hashlib.sha256((VERSIONS / name).read_bytes()).hexdigest() for name in written().revisions}
    assert made == written().revisions, "a revision that databases have had is never changed"


def test_an_upgrade_keeps_beliefs_and_passes_check(memory: Memory, run: Run) -> None:
    assert digests(memory) == written().digests
    assert {tenant: memory.digest(tenant=tenant) for tenant in written().tenants} == written().tenants
    assert {scope: believed(memory, scope) for scope in written().facts} == written().facts

    said = run("check", "--all")
    assert (said.status, said.out.strip()) == (0, "every invariant holds")


def test_a_repeated_push_after_an_upgrade_stores_nothing_twice(memory: Memory, superuser: psycopg.Connection) -> None:
    held = superuser.execute("SELECT scope, key, position, id FROM episodes ORDER BY scope, position").fetchall()

    receipts = [(scope, within(memory, scope).push(episode)) for scope, episode in written().told]

    assert all(receipt.state == "stored" and receipt.repeated for _, receipt in receipts)
    assert {(scope.id, one.key, one.position, one.id) for scope, one in receipts} <= set(held)
    assert (
        superuser.execute("SELECT scope, key, position, id FROM episodes ORDER BY scope, position").fetchall() == held
    )


def test_questions_after_an_upgrade_are_answered_from_earlier_episodes(memory: Memory) -> None:
    nora, now = within(memory, NORA), written().now
    everywhere = memory.why(written().promoted)
    assert (everywhere.text, everywhere.held) == ("user prefers window seats", True)
    assert [one.words for step in everywhere.steps for one in step.evidence][:1] == ["I prefer window seats"]

    assert nora.recall("Where does the user live?", limit=1)[0].text == "user lives in Bergen"
    assert "user lives in Lisbon" in {fact.text for fact in nora.facts(as_of=now - timedelta(days=3, hours=12))}
    assert {one.text for one in within(memory, TRIP).recall("Which seats are preferred?", limit=4)} >= {
        "user prefers window seats"
    }
    assert [goal.description for goal in nora.goals.list()] == ["Find a flat in Bergen"]
    assert [one.statement for one in nora.consensus.find_similar("budget")][:1] == ["At most 900 a month"]
    assert within(memory, DESK).strategies.find_strategies("booking")[0].tool_sequence == ("search", "book")
    assert [one.session for one in memory.archived()] == ["monday"]
    assert [hold.reason for hold in memory.holds() if hold.released is None] == ["a lawsuit"]


def test_pending_work_after_an_upgrade_is_done_with_the_same_result(
    memory: Memory, owner_url: str, superuser: psycopg.Connection, run: Run
) -> None:
    stop_clock(owner_url, written().now + timedelta(minutes=2))  # the lease of the worker that died is over
    reports = memory.drain()
    stop_clock(owner_url, written().now + timedelta(days=2))
    due_work.tick(parts_of(memory), by="scheduler")
    reports += memory.drain()

    assert {report.outcome for report in reports} == {"ok"}
    assert {"consolidate", "prepare", "retry", "summarise"} <= {report.job for report in reports}
    assert {scope: believed(memory, scope) for scope in written().afterwards} == written().afterwards
    (abandoned,) = superuser.execute("SELECT outcome FROM runs WHERE owner = 'gone'").fetchall()
    assert abandoned == ("vanished",)
    assert superuser.execute("SELECT count(*) FROM watermarks JOIN scope_heads USING (scope) WHERE position < head "
                             "AND pack IN ('everyday', '_prepare')").fetchall() == [(0,)]  # fmt: skip
    said = run("check", "--all")
    assert (said.status, said.out.strip()) == (0, "every invariant holds")


def test_upgrading_one_revision_at_a_time_changes_no_row(
    postgres_server: PostgresServer, template: str, left: psycopg.Connection
) -> None:
    known = columns(left)
    held = rows(left, known)
    assert left.execute("SELECT count(*) FROM extraction_journal").fetchall() == [(0,)]  # which a revision drops

    for revision in LATER:
        upgrade(postgres_server.url("slowwave_owner", left.info.dbname), revision)
        assert left.execute("SELECT version_num FROM alembic_version").fetchall() == [(revision,)]
        assert rows(left, known) == held, f"revision {revision} changes what was there"

    with psycopg.connect(postgres_server.url("postgres", template)) as fresh:
        found, wanted = schema(left), schema(fresh)
    for kind in wanted:
        assert found[kind] == wanted[kind], kind
