"""Engines: pools of connections to Postgres, whose sessions act as one role, in UTC, with time limits."""

from contextlib import closing
from typing import Any

import psycopg
from pgvector.psycopg import register_vector, register_vector_async
from psycopg.conninfo import make_conninfo
from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import ArgumentError

from slowwave.errors import Incorrect, Unprepared
from slowwave.store.direct import PLAIN, Direct, waited_for
from slowwave.store.sqlstates import READ_ONLY
from slowwave.threads import turns_are_taken

LOCK_MS = 5_000
STATEMENT_MS = 30_000
IDLE_MS = 10_000
"""Milliseconds after which the server ends an idle transaction, so that a frozen process blocks no scope for long."""
VALUES = "slowwave_values"
"""The execution option of an engine that holds the parameters of `SET_VALUES` for each transaction."""
ALONE, IN_A_CELL = "slowwave", "slowwave in a cell"
"""The application names of sessions of a process with one database, and of a process with cells."""
SET_VALUES = (
    "SELECT set_config(name, value, true) FROM unnest(%(names)s::text[], %(values)s::text[]) AS one (name, value)"
)


def engine(
    url: str,
    *,
    role: str | None = None,
    pool_size: int = 4,
    driver: str = PLAIN,
    pooler: bool = False,
    name: str = ALONE,
) -> Engine:
    """Return an engine for *url* (a libpq URL) whose sessions act as *role*, in UTC, with the timeouts of this module.

    With *pooler*, the address is of a pooler that lends a session for one transaction only, such as PgBouncer: each
    transaction of `Database` sets these values for itself, and no statement is prepared. *name* is the application name
    of the sessions. Raises `Incorrect` if *url* is not such a URL.
    """
    values = {
        "timezone": "UTC",
        "lock_timeout": str(LOCK_MS),
        "statement_timeout": str(STATEMENT_MS),
        "idle_in_transaction_session_timeout": str(IDLE_MS),
        **({"role": role} if role else {}),
    }
    session: dict[str, Any] = {"options": " ".join(f"-c {name}={value}" for name, value in values.items())}
    try:
        address = make_url(url).set(drivername=f"postgresql+{driver}")
        made = create_engine(
            address,
            pool_size=pool_size,
            max_overflow=pool_size,
            pool_timeout=5,
            hide_parameters=True,
            connect_args={
                **({"prepare_threshold": None} if pooler else session),
                "connect_timeout": 3,
                "keepalives_idle": 5,
                "keepalives_interval": 2,
                "keepalives_count": 3,
                "tcp_user_timeout": 10_000,
                "application_name": name,
            },
        )
        made.dialect.create_connect_args(made.url)  # fails now on what a connection attempt would fail on
        make_conninfo(**dict.fromkeys(made.url.query, ""))
    except psycopg.ProgrammingError as error:
        raise Incorrect(
            f"The address of the database has invalid parameters: {str(error).strip()}.",
            hint="the part after `?` holds parameters of libpq, such as `?sslmode=require`",
        ) from None
    except (ArgumentError, ValueError):
        raise Incorrect(
            "The address of the database cannot be read.",
            hint="write it like postgresql://slowwave:PASSWORD@HOST:5432/slowwave, the password percent-encoded",
        ) from None  # the cause may quote the password
    made._connection_cls = Direct
    if pooler:
        event.listen(made, "connect", _read_times_in_utc)
        made.update_execution_options(**{VALUES: {"names": list(values), "values": list(values.values())}})
    return made


def close_if_read_only(context: ExceptionContext) -> None:
    """Close a read-only session, because it stays read-only even if the server accepts writes in new sessions."""
    if getattr(context.original_exception, "sqlstate", None) == READ_ONLY:
        context.is_disconnect = True


def _read_times_in_utc(connection: Any, _record: Any) -> None:
    """Make the driver convert times to UTC. A pooler passes the time zone on, but no other value."""
    with closing(connection.cursor()) as cursor:
        cursor.execute("SET TIME ZONE 'UTC'")
    connection.commit()


def learn_vectors(connection: Any, _record: Any = None) -> None:
    """Make a new connection send and read vectors in binary format, which takes a tenth of the time of text."""
    try:
        if turns_are_taken():
            waited_for(register_vector_async(connection.driver_connection))
        else:
            register_vector(connection)
    except psycopg.ProgrammingError as error:
        connection.close()
        raise Unprepared("This database has no pgvector.", hint="`slowwave doctor` says what is missing") from error
    connection.rollback()
