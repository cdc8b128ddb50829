"""The schema: comparison of whole databases, partitions that are made ahead, and constraints for the invariants."""

import uuid
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from slowwave.embedded_services.postgres import PostgresServer
from slowwave.store.engine import engine
from slowwave.store.migrate import migrate, revisions
from tests.catalog import catalog
from tests.databases import copied
from tests.integration.store.rows import insert, row, tables
from tests.unit.tables import table as rows_of

ROWS = rows_of(__file__)

SCOPE, OTHER = uuid.uuid4(), uuid.uuid4()


@pytest.fixture(scope="module")
def database(postgres_server: PostgresServer, template: str) -> Iterator[str]:
    """A migrated database for the tests of this file, which roll back their changes."""
    with copied(postgres_server, template, "schema") as name:
        yield name


@pytest.fixture
def admin(postgres_server: PostgresServer, database: str) -> Iterator[psycopg.Connection]:
    """A superuser's connection to the database, without row-level security."""
    with psycopg.connect(postgres_server.url("postgres", database)) as connection:
        yield connection
        connection.rollback()


# the comparison of two databases, by which an adopted one is compared with a new one


@pytest.mark.parametrize(("kind", "planted"), ROWS["planted"])
def test_the_comparison_finds_a_planted_difference(admin: psycopg.Connection, kind: str, planted: str) -> None:
    before = catalog(admin)

    admin.execute(planted)

    assert catalog(admin)[kind] != before[kind]


def test_migrating_again_changes_nothing(owner_url: str) -> None:
    owner = engine(owner_url, pool_size=1)
    with psycopg.connect(owner_url, autocommit=True) as connection:
        before = catalog(connection)

        migrate(owner)
        with owner.connect() as again:
            at, needed = revisions(again)

        assert at == needed is not None
        assert catalog(connection) == before
    owner.dispose()


def test_each_table_has_a_comment(admin: psycopg.Connection) -> None:
    described = {name: comment for name, _, _, _, comment, _ in catalog(admin)["tables"]}

    assert [name for name, comment in described.items() if not comment] == []


# the invariants


def add(admin: psycopg.Connection, table: str, **values: Any) -> None:
    """Insert a valid row with these *values*."""
    insert(admin, table, row(admin, table, "t", **values))


JANUARY, FEBRUARY, MID = "[2026-01-01,2026-02-01)", "[2026-02-01,)", "[2026-01-15,2026-02-15)"
ID = uuid.uuid4()
BELIEF = {"scope": SCOPE, "belief": 1}
INTENT = {"scope": SCOPE, "job": "consolidate", "pack": "p"}
RUNNING = {"state": "running", "lo": 1, "hi": 9}
FIRING = {"schedule": "p/count", "scope": SCOPE, "at_window": "100"}
NAMES = {"user_id": "u", "agent": "a", "channel": "c"}
ROW = dict[str, Any]
NO_NAMES: list[ROW] = [{}, {"replaces": []}]
REFUSED: list[tuple[str, str, list[ROW], ROW]] = [
    ("facts", "facts_one_live_version", [BELIEF | {"valid": JANUARY}], BELIEF | {"valid": MID}),
    ("facts", "facts_ranges_check", [], {"valid": "empty"}),
    ("facts", "facts_ranges_check", [], {"recorded": "empty"}),
    *(
        (table, f"{table}_confidence_check", [], {"confidence": confidence})
        for table in ("facts", "deltas")
        for confidence in (-0.001, 1.001, float("nan"), float("inf"))
    ),
    (
        "runs", "runs_one_running",
        [{"scope": SCOPE, "finished": "now", "outcome": "ok"}, {"scope": SCOPE}, {"scope": OTHER}],
        {"scope": SCOPE, "job": "another", "pack": "another"},
    ),
    ("runs", "runs_finished_check", [], {"finished": "now"}),
    ("runs", "runs_finished_check", [], {"outcome": "ok"}),
    (
        "intents", "intents_one_pending",
        [INTENT, INTENT | {"pack": "another"}, INTENT | {"job": "another"}, INTENT | RUNNING], INTENT,
    ),
    ("intents", "intents_one_running", [INTENT | RUNNING], INTENT | RUNNING),
    ("intents", "intents_window_check", [], {"state": "running"}),
    ("intents", "intents_window_check", [], {"lo": 1, "hi": 9}),
    ("intents", "intents_window_check", [], {"state": "running", "lo": 1}),
    ("firings", "firings_pkey", [FIRING, FIRING | {"at_window": "200"}], FIRING),
    (
        "episode_keys", "episode_keys_scope_position_key",
        [{"scope": SCOPE, "position": 1}, {"scope": OTHER, "position": 1}], {"scope": SCOPE, "position": 1},
    ),
    ("episode_keys", "episode_keys_pkey", [{"scope": SCOPE, "id": ID}], {"scope": SCOPE, "id": ID}),
    *(
        ("deltas", "deltas_replaces_check", [{"kind": kind, "replaces": [ID]}], {"kind": kind, **nothing})
        for kind in ("update", "delete")
        for nothing in NO_NAMES
    ),
    ("deltas", "deltas_kind_check", [], {"kind": "merge"}),
    ("deltas", "deltas_pkey", [{"id": ID}], {"id": ID}),
    (
        "deltas", "deltas_scope_recorded_key",
        [{"scope": SCOPE, "recorded": "2026-03-02"}], {"scope": SCOPE, "recorded": "2026-03-02"},
    ),
    ("scope_heads", "scope_heads_tenant_user_id_agent_channel_key", [NAMES], NAMES),
    ("tenants", "tenants_key_length_check", [], {"fingerprint_key": b"short"}),
]  # fmt: skip
"""Rows that the schema refuses: the table, the constraint or index, the rows that are there, and the refused row."""


@pytest.mark.parametrize(("table", "constraint", "there", "values"), REFUSED)
def test_a_row_that_breaks_an_invariant_is_refused(
    admin: psycopg.Connection, table: str, constraint: str, there: list[ROW], values: ROW
) -> None:
    for one in there:
        add(admin, table, **one)

    with pytest.raises(psycopg.IntegrityError) as refusal, admin.transaction():
        add(admin, table, **values)
    assert refusal.value.diag.constraint_name == constraint


def test_the_schema_accepts_versions_with_adjacent_periods(admin: psycopg.Connection) -> None:
    for valid in (JANUARY, FEBRUARY):
        add(admin, "facts", **BELIEF, valid=valid)


def test_versions_with_overlapping_valid_times_may_follow_each_other(admin: psycopg.Connection) -> None:
    add(admin, "facts", **BELIEF, valid=JANUARY, recorded="[2026-03-01,2026-03-02)")
    add(admin, "facts", **BELIEF, valid=MID, recorded="[2026-03-02,)")
    add(admin, "facts", scope=SCOPE, belief=2, valid=MID, recorded="[2026-03-02,)")


@pytest.mark.parametrize("table", ["facts", "deltas"])
@pytest.mark.parametrize("confidence", [0, 1])
def test_a_confidence_of_0_or_1_is_accepted(admin: psycopg.Connection, table: str, confidence: float) -> None:
    add(admin, table, confidence=confidence)


# partitions


def at(admin: psycopg.Connection, time: str) -> None:
    """Set the database's clock."""
    admin.execute(
        "CREATE OR REPLACE FUNCTION slowwave_now() RETURNS timestamptz LANGUAGE sql VOLATILE "
        f"AS 'SELECT timestamptz ''{time}'''"
    )


def partitions(admin: psycopg.Connection, table: str) -> dict[str, str]:
    """Return the partitions of *table* by name, each with its bounds."""
    admin.execute("SET timezone = 'UTC'")
    return dict(
        admin.execute(
            "SELECT c.relname, pg_get_expr(c.relpartbound, c.oid) FROM pg_inherits "
            "JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = %s::regclass",
            (table,),
        ).fetchall()
    )


def make_partitions(admin: psycopg.Connection) -> int:
    """Make the partitions that are missing; return how many there were."""
    return len(
        admin.execute("SELECT slowwave_make_partition(parent, lo) FROM slowwave_missing_partitions(30)").fetchall()
    )


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Europe/Berlin"])
def test_partitions_are_made_ahead_by_the_utc_calendar(admin: psycopg.Connection, zone: str) -> None:
    at(admin, "2036-02-29 23:30:00+00")
    before = {table: partitions(admin, table) for table in ("episodes", "audit_log")}

    admin.execute(f"SET timezone = '{zone}'")
    made = make_partitions(admin)

    months = {n: b for n, b in partitions(admin, "episodes").items() if n not in before["episodes"]}
    days = {n: b for n, b in partitions(admin, "audit_log").items() if n not in before["audit_log"]}
    assert months == {
        "episodes_2036_02": "FOR VALUES FROM ('2036-02-01 00:00:00+00') TO ('2036-03-01 00:00:00+00')",
        "episodes_2036_03": "FOR VALUES FROM ('2036-03-01 00:00:00+00') TO ('2036-04-01 00:00:00+00')",
    }
    assert len(days) == 31
    assert days["audit_log_2036_02_29"] == "FOR VALUES FROM ('2036-02-29 00:00:00+00') TO ('2036-03-01 00:00:00+00')"
    assert days["audit_log_2036_03_30"] == "FOR VALUES FROM ('2036-03-30 00:00:00+00') TO ('2036-03-31 00:00:00+00')"
    assert made == 33


def test_each_table_accepts_the_test_row(admin: psycopg.Connection) -> None:
    for table in tables(admin):
        add(admin, table)
        assert admin.execute(f"SELECT count(*) FROM {table} WHERE tenant = 't'").fetchone() == (1,)
