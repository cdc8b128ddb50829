"""A statement that goes straight to the driver gives what SQLAlchemy would, in the same transaction."""

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import MultipleResultsFound, NoResultFound

from slowwave.errors import Unavailable
from slowwave.store.database import engine, translated
from slowwave.store.direct import Rows

NUMBERS = "SELECT n, n * 2 AS twice, 'x' AS \"class\", n AS n FROM generate_series(1, %(last)s) AS n"


@pytest.fixture
def pool(url: str) -> Iterator[Engine]:
    made = engine(url)
    yield made
    made.dispose()


def alike(pool: Engine, ask: Callable[[Connection], Any]) -> Any:
    """Return what *ask* gets from the driver, which must be what it gets by way of SQLAlchemy."""
    with pool.connect() as connection:
        found = ask(connection)
    event.listen(pool, "before_cursor_execute", lambda *_: None)
    with pool.connect() as connection:
        assert ask(connection) == found
    return found


@pytest.mark.parametrize(
    "read",
    [
        lambda rows: list(map(tuple, rows)),
        lambda rows: [row.twice for row in rows.all()],
        lambda rows: tuple(rows.first()),
        lambda rows: list(rows.keys()),
        lambda rows: [row["twice"] for row in rows.mappings()],
        lambda rows: [row["twice"] for row in rows.mappings().all()],
        lambda rows: rows.scalars().all(),
        lambda rows: list(rows.scalars()),
        lambda rows: rows.scalar(),
        lambda rows: rows.rowcount,
    ],
    ids=[
        "rows",
        "by name",
        "first",
        "keys",
        "mappings",
        "all mappings",
        "scalars",
        "each scalar",
        "scalar",
        "rowcount",
    ],
)
def test_its_rows_are_read_in_the_same_ways(pool: Engine, read: Callable[[Any], Any]) -> None:
    assert alike(pool, lambda connection: read(connection.exec_driver_sql(NUMBERS, {"last": 3}))) not in ([], None)


@pytest.mark.parametrize(("last", "refused"), [(0, NoResultFound), (1, None), (2, MultipleResultsFound)])
def test_one_row_is_one_row(pool: Engine, last: int, refused: type[Exception] | None) -> None:
    def ask(connection: Connection) -> list[Any]:
        def tried(read: Callable[[Any], Any]) -> Any:
            try:
                return read(connection.exec_driver_sql("SELECT n FROM generate_series(1, %(n)s) AS n", {"n": last}))
            except (NoResultFound, MultipleResultsFound) as error:
                return type(error)

        return [
            tried(lambda rows: tuple(rows.one())),
            tried(lambda rows: rows.scalar_one()),
            tried(lambda rows: rows.mappings().one()["n"]),
            tried(lambda rows: rows.scalars().one()),
            tried(lambda rows: rows.scalar_one_or_none()),
            tried(lambda rows: (row := rows.one_or_none()) and tuple(row)),
        ]

    only = refused or 1
    none = None if last == 0 else only
    assert alike(pool, ask) == [refused or (1,), only, only, only, none, none if last != 1 else (1,)]


def test_what_changes_rows_says_how_many_and_ends_with_the_transaction(pool: Engine) -> None:
    with pool.connect() as connection:
        connection.exec_driver_sql("CREATE TEMPORARY TABLE told (n int)")
        added = connection.exec_driver_sql("INSERT INTO told VALUES (1), (2)")
        assert (isinstance(added, Rows), added.rowcount, added.all()) == (True, 2, [])
        connection.rollback()
        assert connection.exec_driver_sql("SELECT to_regclass('told')").scalar_one() is None


@pytest.mark.parametrize("end", ["SELECT pg_terminate_backend(pg_backend_pid())", "SET transaction_read_only = on"])
def test_a_session_that_is_over_or_writes_nothing_is_not_used_again(pool: Engine, end: str) -> None:
    def end_and_write(connection: Connection) -> None:
        connection.exec_driver_sql(end)
        connection.exec_driver_sql("CREATE TABLE told (n int)")

    with pool.connect() as connection:
        before = session(connection)
        with pytest.raises(Unavailable), translated():
            end_and_write(connection)

    with pool.connect() as connection:
        assert session(connection) != before


def test_a_refused_statement_leaves_the_session_in_use(pool: Engine) -> None:
    with pool.connect() as connection:
        before = session(connection)
        with pytest.raises(psycopg.errors.DivisionByZero):
            connection.exec_driver_sql("SELECT 1 / 0")

    with pool.connect() as connection:
        assert session(connection) == before


def session(connection: Connection) -> int:
    return int(connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one())
