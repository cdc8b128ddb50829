"""The schema: comparison of whole databases, partitions that are made ahead, and constraints for the invariants."""

import os
import uuid
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg import sql

from slowwave.embedded_services.postgres import PostgresServer
from slowwave.store.database import engine
from slowwave.store.migrate import migrate, revisions
from tests.catalog import catalog
from tests.integration.store.rows import insert, row, tables

SCOPE, OTHER = uuid.uuid4(), uuid.uuid4()


@pytest.fixture(scope="module")
def database(postgres_server: PostgresServer, template: str) -> Iterator[str]:
    """A migrated database for the tests of this file, which roll back their changes."""
    name = f"schema_{os.getpid()}"
    with psycopg.connect(postgres_server.url("postgres", "postgres"), autocommit=True) as server:
        server.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER slowwave_owner").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )
        yield name
        server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def admin(postgres_server: PostgresServer, database: str) -> Iterator[psycopg.Connection]:
    """A superuser's connection to the database, without row-level security."""
    with psycopg.connect(postgres_server.url("postgres", database)) as connection:
        yield connection
        connection.rollback()


# the comparison of two databases, by which an adopted one is compared with a new one


@pytest.mark.parametrize(
    ("kind", "planted"),
    [
        ("columns", "ALTER TABLE facts ADD COLUMN planted integer"),
        ("columns", "ALTER TABLE intents ALTER COLUMN vanished SET DEFAULT 1"),
        ("columns", "ALTER TABLE runs ALTER COLUMN version TYPE bigint"),
        ("columns", "ALTER TABLE episodes ALTER COLUMN terms DROP EXPRESSION"),
        ("constraints", "ALTER TABLE facts DROP CONSTRAINT facts_one_live_version"),
        ("constraints", "ALTER TABLE deltas DROP CONSTRAINT deltas_replaces_check"),
        ("indexes", "DROP INDEX intents_one_pending; CREATE UNIQUE INDEX intents_one_pending ON intents (scope, job)"),
        ("tables", "ALTER TABLE standing SET (fillfactor = 90)"),
        ("tables", "COMMENT ON TABLE facts IS 'planted'"),
    ],
)
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


def fact(admin: psycopg.Connection, **values: Any) -> None:
    """Insert a version of belief 1."""
    insert(admin, "facts", row(admin, "facts", "t", **({"scope": SCOPE, "belief": 1} | values)))


def intent(admin: psycopg.Connection, **values: Any) -> None:
    """Insert an intent of one scope, job and pack."""
    insert(
        admin, "intents", row(admin, "intents", "t", **({"scope": SCOPE, "job": "consolidate", "pack": "p"} | values))
    )


def refused(table: str, name: str, admin: psycopg.Connection, **values: Any) -> None:
    """Insert a row, and assert that the constraint or index *name* refuses it."""
    with pytest.raises(psycopg.IntegrityError) as refusal, admin.transaction():
        insert(admin, table, row(admin, table, "t", **values))
    assert refusal.value.diag.constraint_name == name


JANUARY, FEBRUARY, MID = "[2026-01-01,2026-02-01)", "[2026-02-01,)", "[2026-01-15,2026-02-15)"


def test_two_live_versions_of_one_belief_are_refused(admin: psycopg.Connection) -> None:
    fact(admin, valid=JANUARY)

    refused("facts", "facts_one_live_version", admin, scope=SCOPE, belief=1, valid=MID)


def test_the_schema_accepts_versions_with_adjacent_periods(admin: psycopg.Connection) -> None:
    fact(admin, valid=JANUARY)
    fact(admin, valid=FEBRUARY)

    assert admin.execute("SELECT count(*) FROM facts").fetchone() == (2,)


def test_versions_with_overlapping_valid_times_may_follow_each_other(admin: psycopg.Connection) -> None:
    fact(admin, valid=JANUARY, recorded="[2026-03-01,2026-03-02)")
    fact(admin, valid=MID, recorded="[2026-03-02,)")
    fact(admin, valid=MID, recorded="[2026-03-02,)", belief=2)

    assert admin.execute("SELECT count(*) FROM facts").fetchone() == (3,)


@pytest.mark.parametrize("column", ["valid", "recorded"])
def test_a_version_with_an_empty_period_is_refused(admin: psycopg.Connection, column: str) -> None:
    refused("facts", "facts_ranges_check", admin, **{column: "empty"})


@pytest.mark.parametrize("table", ["facts", "deltas"])
@pytest.mark.parametrize("confidence", [-0.001, 1.001, float("nan"), float("inf")])
def test_confidence_outside_0_to_1_is_refused(admin: psycopg.Connection, table: str, confidence: float) -> None:
    refused(table, f"{table}_confidence_check", admin, confidence=confidence)


@pytest.mark.parametrize("table", ["facts", "deltas"])
@pytest.mark.parametrize("confidence", [0, 1])
def test_a_confidence_of_0_or_1_is_accepted(admin: psycopg.Connection, table: str, confidence: float) -> None:
    insert(admin, table, row(admin, table, "t", confidence=confidence))


def test_a_second_running_run_of_a_scope_is_refused(admin: psycopg.Connection) -> None:
    insert(admin, "runs", row(admin, "runs", "t", scope=SCOPE, finished="now", outcome="ok"))
    insert(admin, "runs", row(admin, "runs", "t", scope=SCOPE))
    insert(admin, "runs", row(admin, "runs", "t", scope=OTHER))

    refused("runs", "runs_one_running", admin, scope=SCOPE, job="another", pack="another")


@pytest.mark.parametrize("half", [{"finished": "now"}, {"outcome": "ok"}])
def test_a_finished_run_without_an_outcome_is_refused(admin: psycopg.Connection, half: dict[str, str]) -> None:
    refused("runs", "runs_finished_check", admin, **half)


def test_a_second_pending_intent_is_refused(admin: psycopg.Connection) -> None:
    intent(admin)
    intent(admin, pack="another")
    intent(admin, job="another")
    intent(admin, state="running", lo=1, hi=9)

    refused("intents", "intents_one_pending", admin, scope=SCOPE, job="consolidate", pack="p")


def test_a_second_running_intent_is_refused(admin: psycopg.Connection) -> None:
    intent(admin, state="running", lo=1, hi=9)

    refused(
        "intents", "intents_one_running", admin, scope=SCOPE, job="consolidate", pack="p", state="running", lo=1, hi=9
    )


@pytest.mark.parametrize("values", [{"state": "running"}, {"lo": 1, "hi": 9}, {"state": "running", "lo": 1}])
def test_an_intent_has_a_window_only_while_it_runs(admin: psycopg.Connection, values: dict[str, Any]) -> None:
    refused("intents", "intents_window_check", admin, **values)


def test_a_schedule_fires_once_for_a_window(admin: psycopg.Connection) -> None:
    firing = {"schedule": "p/count", "scope": SCOPE, "at_window": "100"}
    insert(admin, "firings", row(admin, "firings", "t", **firing))
    insert(admin, "firings", row(admin, "firings", "t", **(firing | {"at_window": "200"})))

    refused("firings", "firings_pkey", admin, **firing)


def test_a_position_is_assigned_once(admin: psycopg.Connection) -> None:
    insert(admin, "episode_keys", row(admin, "episode_keys", "t", scope=SCOPE, position=1))
    insert(admin, "episode_keys", row(admin, "episode_keys", "t", scope=OTHER, position=1))

    refused("episode_keys", "episode_keys_scope_position_key", admin, scope=SCOPE, position=1)


def test_a_second_episode_with_the_same_id_is_refused(admin: psycopg.Connection) -> None:
    id_ = uuid.uuid4()
    insert(admin, "episode_keys", row(admin, "episode_keys", "t", scope=SCOPE, id=id_))

    refused("episode_keys", "episode_keys_pkey", admin, scope=SCOPE, id=id_)


@pytest.mark.parametrize("kind", ["update", "delete"])
def test_a_delta_that_changes_a_belief_names_the_replaced_facts(admin: psycopg.Connection, kind: str) -> None:
    insert(admin, "deltas", row(admin, "deltas", "t", kind=kind, replaces=[uuid.uuid4()]))

    refused("deltas", "deltas_replaces_check", admin, kind=kind)
    refused("deltas", "deltas_replaces_check", admin, kind=kind, replaces=[])


def test_a_delta_of_an_unknown_kind_is_refused(admin: psycopg.Connection) -> None:
    refused("deltas", "deltas_kind_check", admin, kind="merge")


def test_a_delta_is_applied_once(admin: psycopg.Connection) -> None:
    id_ = uuid.uuid4()
    insert(admin, "deltas", row(admin, "deltas", "t", id=id_))

    refused("deltas", "deltas_pkey", admin, id=id_)


def test_two_deltas_of_a_scope_are_never_recorded_at_one_time(admin: psycopg.Connection) -> None:
    insert(admin, "deltas", row(admin, "deltas", "t", scope=SCOPE, recorded="2026-03-02"))

    refused("deltas", "deltas_scope_recorded_key", admin, scope=SCOPE, recorded="2026-03-02")


def test_a_scope_is_created_once(admin: psycopg.Connection) -> None:
    names = {"user_id": "u", "agent": "a", "channel": "c"}
    insert(admin, "scope_heads", row(admin, "scope_heads", "t", **names))

    refused("scope_heads", "scope_heads_tenant_user_id_agent_channel_key", admin, **names)


def test_a_fingerprint_key_has_32_bytes(admin: psycopg.Connection) -> None:
    refused("tenants", "tenants_key_length_check", admin, fingerprint_key=b"short")


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


def partition_of(admin: psycopg.Connection, table: str, column: str, time: str) -> str:
    """Insert a row of that *time* and return the partition that holds it."""
    insert(admin, table, row(admin, table, "t", **{column: time}))
    found = admin.execute(f"SELECT tableoid::regclass::text FROM {table} WHERE {column} = %s", (time,))
    ((name,),) = found.fetchall()
    return str(name)


def test_a_new_database_has_partitions_for_today_and_thirty_days_ahead(admin: psycopg.Connection) -> None:
    found = admin.execute(
        "SELECT count(*), max(day) - min(day), slowwave_now() >= min(day), slowwave_now() < max(day) FROM ("
        "SELECT to_timestamp(substr(relname, 11), 'YYYY_MM_DD') AS day FROM pg_class "
        "WHERE relispartition AND relkind = 'r' AND relname ~ '^audit_log_[0-9]') AS days"
    ).fetchone()

    assert found is not None
    assert (found[0], found[1].days, found[2], found[3]) == (31, 30, True, True)
    assert {"episodes_default", "audit_log_default"} <= partitions(admin, "episodes").keys() | partitions(
        admin, "audit_log"
    ).keys()


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


def test_making_partitions_twice_adds_none(admin: psycopg.Connection) -> None:
    at(admin, "2036-02-29 23:30:00+00")
    make_partitions(admin)

    assert make_partitions(admin) == 0


def test_a_row_lies_in_the_partition_of_its_time(admin: psycopg.Connection) -> None:
    at(admin, "2036-02-29 23:30:00+00")
    admin.execute("SET timezone = 'UTC'")
    make_partitions(admin)

    assert partition_of(admin, "episodes", "received", "2036-02-29 23:59:59.999999+00") == "episodes_2036_02"
    assert partition_of(admin, "episodes", "received", "2036-03-01 00:00:00+00") == "episodes_2036_03"
    assert partition_of(admin, "audit_log", "at", "2036-02-29 23:59:59.999999+00") == "audit_log_2036_02_29"


@pytest.mark.parametrize(("table", "column"), [("episodes", "received"), ("audit_log", "at")])
@pytest.mark.parametrize("time", ["2999-01-01 00:00:00+00", "1999-01-01 00:00:00+00"])
def test_a_row_without_a_partition_goes_to_the_default_partition(
    admin: psycopg.Connection, table: str, column: str, time: str
) -> None:
    assert partition_of(admin, table, column, time) == f"{table}_default"


def test_each_table_accepts_the_test_row(admin: psycopg.Connection) -> None:
    for table in tables(admin):
        insert(admin, table, row(admin, table, "t"))
        assert admin.execute(f"SELECT count(*) FROM {table} WHERE tenant = 't'").fetchone() == (1,)
