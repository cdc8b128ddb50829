"""A database as a cell: its preparation, the numbers of its rows, and the marks of tenants that are not there."""

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, LiteralString, Self

import psycopg
from psycopg import sql
from psycopg.rows import namedtuple_row

from slowwave.errors import Conflict
from slowwave.store.database import Database, translated
from slowwave.store.engine import ALONE
from slowwave.store.statements import STORE

LOCK_MS = 10_000
"""Milliseconds that a move waits for the transactions of a tenant. Others wait half as long, so that the move wins."""
OF_THE_TENANT = sql.SQL("tenant = current_setting('slowwave.moving')")
"""The condition for the rows of the tenant that moves. The owner also sees, and could delete, rows of other tenants,
such as old bookkeeping rows.
"""
Owner = psycopg.Connection[Any]
_COUNTERS = """
SELECT c.relname AS table, a.attname AS column, pg_get_serial_sequence(c.oid::regclass::text, a.attname) AS sequence
FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND a.attidentity <> '' AND a.atttypid IN ('int4'::regtype, 'int8'::regtype)
ORDER BY 1, 2
"""


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of a tenant that is not in a cell: it has `left`, or is `arriving`; *cell* is on the other side."""

    state: str
    move: uuid.UUID
    cell: str

    @classmethod
    def read(cls, text: str | None) -> Self | None:
        """Return the mark that `slowwave_mark` wrote; None if the tenant is in the cell."""
        if text is None:
            return None
        state, move, cell = text.split(" ", 2)
        return cls(state, uuid.UUID(move), cell)


@contextmanager
def owner(url: str) -> Iterator[Owner]:
    """Give a connection to *url* as slowwave_owner, in autocommit mode."""
    address = url.replace("+psycopg", "", 1)
    with translated(), psycopg.connect(address, autocommit=True, keepalives_idle=30, keepalives_count=4) as connection:
        connection.row_factory = namedtuple_row
        connection.execute(f"SET lock_timeout = {LOCK_MS}")
        connection.execute("SET idle_in_transaction_session_timeout = 0")  # the lock of a move lasts as long as it does
        connection.execute("SET timezone = 'UTC'")
        connection.execute("SET synchronous_commit = on")  # a mark that others have seen survives a crash
        yield connection


def prepare(connection: Owner, name: str) -> None:
    """Make the database the cell *name*. Raises `Unavailable` while a table is in use for long."""
    with connection.transaction():
        connection.execute((STORE / "migrations" / "cell.sql").read_bytes())
        connection.execute(sql.SQL("COMMENT ON TABLE cell_moves IS {}").format(sql.Literal(name)))


def name_of(connection: Owner) -> str | None:
    """Return the name of the cell that the database is; None if it is no cell."""
    name: str | None = _value(connection, "SELECT obj_description(to_regclass('cell_moves'), 'pg_class')")
    return name


def has_rows(connection: Owner, tenant: str) -> bool:
    """Return whether the cell has rows of *tenant*."""
    return bool(_value(connection, "SELECT EXISTS (SELECT FROM tenants WHERE tenant = %s)", tenant))


def number_rows(connection: Owner, number: int, step: int, above: Mapping[str, int]) -> None:
    """Let the cell give its rows the numbers that leave *number* when divided by *step*, *above* those of the
    installation.

    Rows of two cells then never have the same number, so that a tenant can move. Numbers grow also after a move.
    """
    for row in connection.execute(_COUNTERS).fetchall():
        with connection.transaction():
            change = sql.SQL("ALTER SEQUENCE {} INCREMENT BY {}").format(_named(row.sequence), sql.Literal(step))
            connection.execute(change)  # also keeps others from taking a number until the end of the transaction
            last = max(_last(connection, row.sequence), above.get(_key(row), 0))
            connection.execute("SELECT setval(%s, %s, false)", [row.sequence, _next(last, number, step)])


def _next(last: int, number: int, step: int) -> int:
    """Return the first number above *last* that leaves *number* when divided by *step*.

    >>> _next(0, 1, 8), _next(9, 1, 8), _next(8, 0, 8)
    (1, 17, 16)
    """
    return last + 1 + (number - last - 1) % step


def last_numbers(connection: Owner) -> dict[str, int]:
    """Return the last number that each sequence of the cell gave, by `table.column`."""
    return {_key(row): _last(connection, row.sequence) for row in connection.execute(_COUNTERS).fetchall()}


def pass_numbers(connection: Owner, number: int, step: int) -> None:
    """Let later rows of the cell have higher numbers than the rows of the tenant that is moving there."""
    highest = {}
    for row in connection.execute(_COUNTERS).fetchall():
        query = sql.SQL("SELECT coalesce(max({}), 0) FROM {} WHERE {}")
        highest[_key(row)] = _value(
            connection, query.format(sql.Identifier(row.column), sql.Identifier(row.table), OF_THE_TENANT)
        )
    number_rows(connection, number, step, highest)


def mark(connection: Owner, tenant: str) -> Mark | None:
    """Return why *tenant* is not in this cell; None if it is there, or was never there."""
    return Mark.read(_value(connection, "SELECT slowwave_mark(%s)", tenant))


def held_mark(connection: Owner, tenant: str) -> Mark | None:
    """Return what `mark` returns, and prevent changes of the mark until the end of the transaction."""
    text = "SELECT state || ' ' || move || ' ' || cell FROM cell_moves WHERE tenant = %s FOR UPDATE"
    row = connection.execute(text, [tenant]).fetchone()
    return Mark.read(row[0] if row else None)


def set_mark(connection: Owner, tenant: str, wanted: Mark) -> None:
    """Mark *tenant* as not in this cell."""
    connection.execute(
        "INSERT INTO cell_moves (tenant, move, state, cell) VALUES (%s, %s, %s, %s) ON CONFLICT (tenant) "
        "DO UPDATE SET move = excluded.move, state = excluded.state, cell = excluded.cell, at = slowwave_now(), "
        "cleared = false",
        [tenant, wanted.move, wanted.state, wanted.cell],
    )


def set_cleared(connection: Owner, tenant: str) -> None:
    """Record that no rows of *tenant*, which left, are in this cell."""
    connection.execute("UPDATE cell_moves SET cleared = true WHERE tenant = %s", [tenant])


def has_copy(database: Database, tenant: str) -> bool:
    """Return whether this cell may have hidden rows of *tenant*, which is in another cell."""
    with database.dispatch() as connection:
        return bool(connection.exec_driver_sql("SELECT slowwave_has_copy(%(it)s)", {"it": tenant}).scalar_one())


def refuse_others(connection: Owner, name: str) -> None:
    """Raise `Conflict` while a process without cells is connected to the cell *name*. A move could lose its writes."""
    query = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = %s "
        "AND usename <> current_user"
    )
    if number := _value(connection, query, ALONE):
        raise Conflict(
            f"processes without SLOWWAVE_CELLS are connected to the cell {name} (sessions: {number})",
            hint="give these processes SLOWWAVE_CELLS instead of SLOWWAVE_URL, or stop them, and run the command again",
        )


def drop_mark(connection: Owner, tenant: str, move: uuid.UUID) -> None:
    """Let *tenant* be in this cell, if the mark is of *move*."""
    connection.execute("DELETE FROM cell_moves WHERE tenant = %s AND move = %s", [tenant, move])


def lock(connection: Owner, key: int, tenant: str | None = None) -> None:
    """Take an exclusive lock until the end of the transaction. Raises `Unavailable` if others hold it for long."""
    if tenant is None:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [key])
    else:
        connection.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [key, tenant])


def size_and_presence(database: Database, tenant: str) -> tuple[int, bool]:
    """Return the size of a cell in bytes, and whether it has rows of *tenant*."""
    with database.dispatch() as connection:
        row = connection.exec_driver_sql(
            "SELECT pg_database_size(current_database()), EXISTS (SELECT FROM tenants WHERE tenant = %(tenant)s)",
            {"tenant": tenant},
        ).one()
        return row[0], row[1]


def mark_in(database: Database, tenant: str) -> Mark | None:
    """Return what `mark` returns, in a process that is not the owner."""
    with database.dispatch() as connection:
        return Mark.read(connection.exec_driver_sql("SELECT slowwave_mark(%(it)s)", {"it": tenant}).scalar_one())


def marks_in(database: Database) -> list[tuple[str, str]]:
    """Return the tenants that are not in this cell, with the texts of their marks."""
    with database.dispatch() as connection:
        marks = "SELECT tenant, slowwave_mark(tenant) FROM unnest(slowwave_absent()) AS tenant"
        return [(row[0], row[1]) for row in connection.exec_driver_sql(marks) if row[1] is not None]


def finish_arrival(database: Database, tenant: str, move: uuid.UUID) -> None:
    """Let *tenant* be in this cell, if *move* brought it. The caller has seen that the tenant left its former cell."""
    with database.dispatch() as connection:
        asked = {"tenant": tenant, "move": move}
        connection.exec_driver_sql("SELECT slowwave_arrive(%(tenant)s, %(move)s)", asked)


def _named(sequence: str) -> sql.Composable:
    return sql.Identifier(*sequence.split("."))


def _key(row: Any) -> str:
    return f"{row.table}.{row.column}"


def _last(connection: Owner, sequence: str) -> int:
    query = sql.SQL("SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM {}").format(_named(sequence))
    return int(_value(connection, query))


def _value(connection: Owner, query: sql.Composed | LiteralString, *parameters: Any) -> Any:
    (row,) = connection.execute(query, parameters).fetchall()
    return row[0]
