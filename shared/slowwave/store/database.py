"""Connections: as *dispatch*, which sees all tenants and no content, or as *app*, which sees one tenant."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import psycopg
from pgvector.psycopg import register_vector
from psycopg.abc import Buffer, Dumper
from psycopg.types.array import ListDumper
from psycopg.types.datetime import DatetimeDumper
from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import ArgumentError, DBAPIError, TimeoutError

from slowwave.core.policy import BARE, Policy
from slowwave.core.predicates import Predicates
from slowwave.errors import Conflict, Fault, Incorrect, SlowwaveError, Unavailable, Unprepared
from slowwave.store.audit.log import Auditing
from slowwave.store.deadline import gone, within
from slowwave.store.policy import govern, plain
from slowwave.store.sqlstates import READ_ONLY, refusal

LOCK_MS = 5_000
STATEMENT_MS = 30_000
IDLE_MS = 10_000
"""A transaction that waits longer than these is cut off: no frozen process blocks a scope for long."""
DEADLINE_SECONDS = STATEMENT_MS / 1000 + 5
"""A transaction that takes longer than this is hung up on from our side: a frozen server keeps no time."""
MOST_STALE = 20
"""Connections of the pool that a restart of the server may have left dead."""


def engine(url: str, *, role: str | None = None, pool_size: int = 4) -> Engine:
    """Return an engine for *url* (a libpq URL) whose sessions act as *role*, in UTC, under our time-outs.

    Raises `Incorrect` for what is no such URL.
    """
    options = f"-c timezone=UTC -c lock_timeout={LOCK_MS} -c statement_timeout={STATEMENT_MS}"
    options += f" -c idle_in_transaction_session_timeout={IDLE_MS}"
    if role:
        options += f" -c role={role}"
    try:
        address = make_url(url).set(drivername="postgresql+psycopg")
        made = create_engine(
            address,
            pool_size=pool_size,
            max_overflow=pool_size,
            pool_timeout=5,
            hide_parameters=True,
            connect_args={
                "options": options,
                "connect_timeout": 3,
                "keepalives_idle": 5,
                "keepalives_interval": 2,
                "keepalives_count": 3,
                "tcp_user_timeout": 10_000,
                "application_name": "slowwave",
            },
        )
        made.dialect.create_connect_args(made.url)  # what connecting would stumble over
    except (ArgumentError, ValueError):
        raise Incorrect(
            "The address of the database cannot be read.",
            hint="write it like postgresql://slowwave:PASSWORD@HOST:5432/slowwave, the password percent-encoded",
        ) from None  # the cause may quote the password
    return made


class Database:
    """The two ways into one Postgres. Made once a process; connections open when first needed.

    *auditing* says how much of what is done here the audit log keeps, *policy_of* what governs a tenant's memories,
    *registry* the predicates that there are.
    """

    def __init__(
        self,
        url: str,
        *,
        pool_size: int = 4,
        auditing: Auditing | None = None,
        policy_of: Callable[[str], Policy] = lambda _tenant: BARE,
        registry: Callable[[], Predicates] = plain,
    ) -> None:
        self._closed = False
        self._auditing = auditing or Auditing()
        self._policy_of = policy_of
        self._registry = registry
        self._app = engine(url, role="slowwave_app", pool_size=pool_size)
        event.listen(self._app, "connect", learn_vectors)
        self._dispatch = engine(url, role="slowwave_dispatch", pool_size=pool_size)
        for pool in (self._app, self._dispatch):
            event.listen(pool, "connect", _tell_values)
            event.listen(pool, "handle_error", _hang_up_where_nothing_is_written)

    @contextmanager
    def tenant(self, tenant: str, *, deadline_seconds: float | None = None) -> Iterator[Connection]:
        """Give a transaction that sees one tenant's rows; it commits when the block ends well.

        One that takes longer than *deadline_seconds* is hung up on, whether the server hears us or not.
        """
        self._refuse_closed()
        with translated(), _transaction(self._app, deadline_seconds) as connection:
            connection.exec_driver_sql("SELECT set_config('slowwave.tenant', %(tenant)s, true)", {"tenant": tenant})
            self._auditing.mark(connection)
            govern(connection, self._policy_of(tenant), self._registry)
            yield connection

    @contextmanager
    def dispatch(self) -> Iterator[Connection]:
        """Give a transaction that sees every tenant's heads, leases, watermarks, firings, intents and runs."""
        self._refuse_closed()
        with translated(), _transaction(self._dispatch, DEADLINE_SECONDS) as connection:
            yield connection

    def close(self) -> None:
        """Close every connection; none is opened again."""
        self._closed = True
        self.hang_up()

    def hang_up(self) -> None:
        """Close the connections that nobody uses; the next are new."""
        self._app.dispose()
        self._dispatch.dispose()

    def _refuse_closed(self) -> None:
        if self._closed:
            raise Incorrect("this memory was closed", hint="connect anew: `Memory.connect()`")


@contextmanager
def _transaction(pool: Engine, deadline_seconds: float | None) -> Iterator[Connection]:
    with pool.connect() as connection:
        for _ in range(MOST_STALE):
            if not gone(_driver(connection)):
                break
            connection.invalidate()
        with within(_driver(connection), deadline_seconds or DEADLINE_SECONDS), connection.begin():
            yield connection


def _driver(connection: Connection) -> psycopg.Connection[Any]:
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    return driver


class _InUtc(DatetimeDumper):
    """Tells a time in UTC: Postgres refuses an offset beyond 15:59, and a clock may have any."""

    def dump(self, time: datetime) -> Buffer | None:
        return super().dump(time if time.tzinfo is None else time.astimezone(UTC))


class _Quoted(ListDumper):
    """Tells an array as the driver does, whose expressions over each value take the most of a statement's time.

    An array of nothing but ids, whole numbers or texts is told at once; each value of any other by its own dumper.
    """

    def dump(self, items: list[Any]) -> Buffer | None:
        kinds = set(map(type, items))
        if kinds == {uuid.UUID}:
            return b"{" + ",".join([f"{item.int:032x}" for item in items]).encode() + b"}"
        if kinds == {int}:
            return b"{" + ",".join(map(str, items)).encode() + b"}"
        if kinds == {str} and (told := _texts(items, self._encoding())) is not None:
            return told
        if self.sub_dumper is None or list in kinds:
            return super().dump(items)
        return b"{" + b",".join(_quoted(self.sub_dumper, item) for item in items) + b"}"

    def _encoding(self) -> str:
        return self.connection.info.encoding if self.connection else "utf-8"


def _texts(items: list[str], encoding: str) -> bytes | None:
    """The array of some texts; nothing where one of them holds a NUL, which no text of Postgres may."""
    joined = "\0".join(items)
    if joined.count("\0") >= len(items):
        return None
    quoted = joined.replace("\\", "\\\\").replace('"', '\\"').replace("\0", '","')
    return f'{{"{quoted}"}}'.encode(encoding)


def _quoted(dumper: Dumper, item: Any) -> bytes:
    told = None if item is None else dumper.dump(item)
    if told is None:
        return b"NULL"
    return b'"' + bytes(told).replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'


def _tell_values(connection: psycopg.Connection[Any], _record: Any) -> None:
    connection.adapters.register_dumper(datetime, _InUtc)
    connection.adapters.register_dumper(list, _Quoted)


def _hang_up_where_nothing_is_written(context: ExceptionContext) -> None:
    """Let a session go that is read-only: it stays so, whatever the server takes from those that come later."""
    if getattr(context.original_exception, "sqlstate", None) == READ_ONLY:
        context.is_disconnect = True


def learn_vectors(connection: Any, _record: Any = None) -> None:
    """Teach a new connection to send and read vectors in binary: a tenth of the time that text takes."""
    try:
        register_vector(connection)
    except psycopg.ProgrammingError as error:
        connection.close()
        raise Unprepared("This database has no pgvector.", hint="`slowwave doctor` says what it needs") from error
    connection.rollback()


@contextmanager
def translated() -> Iterator[None]:
    """Turn every error of the driver into ours, by who must act.

    `Unavailable` when asking later may help, `Conflict` for a lost race, `Incorrect` for a value Postgres cannot hold,
    `Unprepared` where an operator has to act, and `Fault` for what we should never have tried.
    """
    try:
        yield
    except TimeoutError as error:
        raise Unavailable("no database connection was free in time", retry_after_seconds=1, hint=_LATER) from error
    except DBAPIError as error:
        cause = error.orig if isinstance(error.orig, psycopg.Error) else psycopg.Error(str(error.orig))
        raise _ours(cause, lost=error.connection_invalidated) from error
    except psycopg.Error as error:
        raise _ours(error) from error
    except UnicodeEncodeError as error:
        raise _of_a_value("lone surrogates") from error


def _ours(cause: psycopg.Error, *, lost: bool = False) -> SlowwaveError:
    """Return our error for the driver's. A connection that failed, rather than a statement, carries no SQLSTATE."""
    if cause.sqlstate is None:
        if isinstance(cause, psycopg.DataError):
            return _of_a_value(_name(cause))
        if lost or isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError):
            return Unavailable(f"Postgres is away: {_said(cause)}", retry_after_seconds=1, hint=_LATER)
        return Fault(f"the driver of Postgres refused ({_name(cause)})", hint=_REPORT)
    match refusal(cause.sqlstate):
        case "unavailable":
            return Unavailable(f"Postgres is away or busy ({_name(cause)})", retry_after_seconds=1, hint=_LATER)
        case "conflict":
            return Conflict(f"another transaction was first ({_name(cause)})", hint="read again and decide")
        case "incorrect":
            return _of_a_value(_name(cause))
        case "unprepared":
            return Unprepared(
                f"The database is not ready for this version of Slowwave ({_name(cause)}: {_said(cause)}).",
                hint="`slowwave db migrate` as slowwave_owner mends the schema; `slowwave doctor` says what is missing",
            )
        case "fault" if cause.diag.constraint_name:
            return Fault(f"the constraint {cause.diag.constraint_name} stopped a write ({_name(cause)})", hint=_REPORT)
        case "fault":
            return Fault(f"Postgres refused what it never should ({_name(cause)}, {cause.sqlstate})", hint=_REPORT)


def _of_a_value(why: str) -> Incorrect:
    return Incorrect(
        f"Postgres cannot hold a value of this ({why})",
        hint="NUL, lone surrogates, numbers beyond 64 bits and times beyond the year 9000 cannot be kept",
    )


_REPORT = "please report this"
_LATER = "ask again in a moment; `slowwave doctor` says what is reachable, and by which address"


def _said(cause: Any) -> str:
    """Return what Postgres says of a connection or of a thing that is missing, in a line: names, nobody's words."""
    return str(cause).strip().partition("\n")[0] or _name(cause)


def _name(cause: Any) -> str:
    return type(cause).__name__
