"""A session plans a statement once for all it is given, and anew now and then, for tables grow."""

from collections.abc import Iterator
from datetime import UTC, datetime

import psycopg
import pytest

from slowwave import wiring
from slowwave.store import database

OFTEN = 12
"""A statement is prepared after five times, and planned for any values after five more."""


@pytest.fixture
def one(parts: wiring.Parts) -> Iterator[database.Database]:
    """A database with one session, which begins with the test."""
    assert parts.settings.url is not None
    alone = database.Database(parts.settings.url.get_secret_value(), pool_size=1)
    yield alone
    alone.close()


def test_a_statement_is_prepared_once_for_all_parameters(one: database.Database) -> None:
    asked = "SELECT %(number)s::bigint, %(numbers)s::bigint[], %(times)s::timestamptz[] AS asked_of_any"
    given = [(1, [], []), (2**20, [7, 2**20], [None]), (9, [None, 2**40], [datetime(2026, 1, 5, tzinfo=UTC)])]

    with one.tenant("default") as connection:
        for number, numbers, times in given * OFTEN:
            connection.exec_driver_sql(asked, {"number": number, "numbers": numbers, "times": times})
        prepared = connection.exec_driver_sql(
            "SELECT generic_plans + custom_plans FROM pg_prepared_statements WHERE statement LIKE '%%asked_of_any%%'"
        ).scalars()

        assert len(list(prepared)) == 1


@pytest.fixture
def empty(owner_url: str) -> Iterator[None]:
    """A table of which Postgres knows that it is empty, and hears no more."""
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute("CREATE TABLE grown (number bigint PRIMARY KEY) WITH (autovacuum_enabled = false)")
        owner.execute("GRANT SELECT, INSERT ON grown TO slowwave_app")
        owner.execute("VACUUM grown")
        yield
        owner.execute("DROP TABLE grown")


@pytest.mark.usefixtures("empty")
def test_plans_made_for_an_empty_table_are_replaced_when_it_grows(
    one: database.Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PLANS_SECONDS", 1e9)
    assert "Seq Scan" in planned(one)

    with one.tenant("default") as connection:
        connection.exec_driver_sql("INSERT INTO grown SELECT generate_series(1, 5000)")
    assert "Seq Scan" in planned(one)

    monkeypatch.setattr(database, "PLANS_SECONDS", 0)
    assert "grown_pkey" in planned(one)


def planned(one: database.Database) -> str:
    """How the one session there is finds a number in the table."""
    for _ in range(OFTEN):
        with one.tenant("default") as connection:
            connection.exec_driver_sql("SELECT number FROM grown WHERE number = %(number)s::bigint", {"number": 7})
    with one.tenant("default") as connection:
        name = connection.exec_driver_sql(
            "SELECT name FROM pg_prepared_statements WHERE statement LIKE 'SELECT number FROM grown%%'"
        ).scalar_one()
        return "\n".join(connection.exec_driver_sql(f"EXPLAIN EXECUTE {name} (7)").scalars())
