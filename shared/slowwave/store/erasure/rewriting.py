"""The second step of an erasure: rewrites tables, indexes, statistics and the log without the erased words."""

from collections.abc import Sequence
from contextlib import ExitStack

from psycopg import sql as composed
from sqlalchemy import Connection

from slowwave.domain.erasure.places import of_words
from slowwave.errors import Conflict
from slowwave.store.database import engine, translated

LOCK = "5s"
"""How long to wait for the lock of a table: other transactions queue behind this request."""
_PARTITIONED = ("audit_log", "episodes")
MOST_SWITCHES = 64
"""The most segments of the write-ahead log to switch past: more than the server keeps (see `max_wal_size`)."""


def rewrite(owner_url: str, touched: Sequence[str], *, wal: bool) -> None:
    """Rewrite all tables with words, their indexes and statistics; of partitioned tables, only *touched* partitions.

    *owner_url* connects as slowwave_owner. *wal* also removes the write-ahead log with the words; only a server of ours
    allows that. Each table is locked only while it is rewritten. Raises `Conflict` if somebody keeps a table locked.
    """
    tables = [table for table in of_words() if table not in _PARTITIONED]
    partitions = [table for table in touched if table.startswith(_PARTITIONED)]
    owner = engine(owner_url, pool_size=1)
    with translated(), ExitStack() as stack:
        stack.callback(owner.dispose)
        connection = stack.enter_context(owner.connect())
        alone = connection.execution_options(isolation_level="AUTOCOMMIT")
        alone.exec_driver_sql(f"SET lock_timeout = '{LOCK}'")
        alone.exec_driver_sql("SET statement_timeout = 0")
        _clear_statistics(alone, [*tables, *partitions, *_PARTITIONED])
        for table in [*tables, *partitions]:
            _vacuum(alone, table)
        for table in _PARTITIONED:  # statistics of the whole
            _run(alone, "ANALYZE {}", table)
        _vacuum(alone, "pg_catalog.pg_statistic")
        if wal:
            _end_log(alone)


def _clear_statistics(connection: Connection, tables: Sequence[str]) -> None:
    """Remove the statistics of these tables: ANALYZE of an empty table would leave the old ones."""
    if connection.exec_driver_sql("SELECT to_regproc('pg_clear_attribute_stats')").scalar() is not None:
        with translated():
            connection.exec_driver_sql(_CLEAR, {"tables": list(tables)})


def _vacuum(connection: Connection, table: str) -> None:
    try:
        _run(connection, "VACUUM (FULL, ANALYZE) {}", table)
    except Conflict as error:
        raise Conflict(
            f"{table} is in use and cannot be rewritten now",
            hint="run `slowwave forget --rewrite` when less is going on",
        ) from error


def _run(connection: Connection, statement: str, table: str) -> None:
    driver = connection.connection.driver_connection
    assert driver is not None
    name = composed.Identifier(*table.split("."))
    with translated():
        connection.exec_driver_sql(composed.SQL(statement).format(name).as_string(driver))


def _end_log(connection: Connection) -> None:
    """Switch past every existing log segment, also preallocated ones, so that the server removes them."""
    segments = connection.exec_driver_sql("SELECT count(*) FROM pg_ls_waldir()").scalar_one()
    for _ in range(min(segments + 1, MOST_SWITCHES)):
        connection.exec_driver_sql("SELECT pg_logical_emit_message(false, 'slowwave', 'switch')")
        connection.exec_driver_sql("SELECT pg_switch_wal()")
    connection.exec_driver_sql("CHECKPOINT")


_CLEAR = """
SELECT pg_clear_attribute_stats(c.relnamespace::regnamespace::text, c.relname::text, a.attname::text, inherited)
FROM pg_class AS c
JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
CROSS JOIN (VALUES (false), (true)) AS kinds (inherited)
WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY(%(tables)s::text[])
"""
