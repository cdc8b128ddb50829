"""A database of the previous version, once migrated, keeps its beliefs, answers and continues its work."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

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
from slowwave.store.engine import engine
from slowwave.testing import stop_clock
from tests.catalog import schema
from tests.databases import copied
from tests.integration.command import Run
from tests.integration.store.rows import insert, row
from tests.old_revisions.database import RENAMED, columns, filled, renamed, rows, written

SPARED = {
    "belief_words", "edges", "embedding_moves", "entity_vectors", "erasure_targets", "erasures", "graph_versions",
    "ledger_seals", "model_batches", "model_breakers", "model_calls", "model_chunks", "model_payloads",
    "model_rejected", "model_replies", "model_requests", "model_slots", "model_windows", "registrations",
    "tree_nodes", "undone", "undos", "vector_blocks", "webhooks", "word_blocks",
}  # fmt: skip
"""Tables that newer versions added, whose rows are created by later work."""

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
    """A copy of it, migrated as an operator does."""
    with copied(postgres_server, before, "after") as name, pytest.MonkeyPatch.context() as variables:
        variables.setenv("SLOWWAVE_URL", postgres_server.url(database=name))
        variables.setenv("SLOWWAVE_OWNER_URL", postgres_server.url("slowwave_owner", name))
        main(["db", "migrate"])  # an error ends it with a status other than 0
        yield name


@pytest.fixture
def database_name(postgres_server: PostgresServer, after: str) -> Iterator[str]:
    """A copy of the migrated one for one test."""
    with copied(postgres_server, after, "upgraded") as name:
        yield name


@pytest.fixture
def memory(settings: Settings, heavy_parts: dict[str, object]) -> Iterator[Memory]:
    """A memory on the migrated copy."""
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


def upgrade(server: PostgresServer, left: psycopg.Connection) -> None:
    """Upgrade the database of a connection."""
    owner = engine(server.url("slowwave_owner", left.info.dbname), pool_size=1)
    migrate.upgrade(owner)
    owner.dispose()


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
    assert (everywhere.text, everywhere.believed) == ("user prefers window seats", True)
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


def test_the_last_old_revision_is_adopted_with_its_rows_as_they_were(
    postgres_server: PostgresServer, template: str, left: psycopg.Connection
) -> None:
    known = columns(left)
    held, applied = rows(left, known), left.execute("SELECT version, applied FROM revisions ORDER BY 1").fetchall()

    upgrade(postgres_server, left)

    with psycopg.connect(postgres_server.url("postgres", template)) as fresh:
        found, wanted = schema(left), schema(fresh)
        (newest,) = fresh.execute("SELECT version_num FROM alembic_version").fetchall()
    for kind in wanted:
        assert found[kind] == wanted[kind], kind
    now = rows(left, renamed(known))
    assert {table for table in known if now[RENAMED.get(table, table)] != held[table]} == {"revisions"}
    assert left.execute("SELECT version_num FROM alembic_version").fetchall() == [newest]
    kept = left.execute("SELECT substr(version, 5), applied FROM revisions WHERE version ~ '^old-' ORDER BY 1")
    assert kept.fetchall() == applied
    assert newest in left.execute("SELECT version FROM revisions WHERE version !~ '^old-'").fetchall()


def test_an_unfinished_erasure_rewrites_the_tables_under_their_new_names(
    postgres_server: PostgresServer, left: psycopg.Connection
) -> None:
    insert(left, "erasures", row(left, "erasures", "spare", kind="user", tables=["facts", "tellings", "topics"]))

    upgrade(postgres_server, left)

    found = left.execute("SELECT tables FROM erasures").fetchall()
    assert found == [(["facts", "model_summaries", "running_segments"],)]


@pytest.mark.parametrize("revision", ["0001", "0002", "0008", "0043"])
def test_an_older_old_revision_is_refused_with_the_way_to_go(
    postgres_server: PostgresServer, left: psycopg.Connection, monkeypatch: pytest.MonkeyPatch, run: Run, revision: str
) -> None:
    left.execute("DROP INDEX facts_of_belief")  # which the last one made
    left.execute("UPDATE alembic_version SET version_num = %s", [revision])
    held = schema(left)
    monkeypatch.setenv("SLOWWAVE_URL", postgres_server.url(database=left.info.dbname))
    monkeypatch.setenv("SLOWWAVE_OWNER_URL", postgres_server.url("slowwave_owner", left.info.dbname))

    migrated, doctor = run("db", "migrate"), run("doctor")

    assert migrated.status != 0
    assert f"at the old revision {revision}" in migrated.err
    assert "slowwave export" in migrated.err
    assert f"at revision old-{revision}, but" in doctor.out
    assert "run `slowwave db migrate`" in doctor.out
    assert schema(left) == held
