"""Database connections in one of two roles: `dispatch` sees all tenants but no content, `app` sees one tenant."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import psycopg
from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DBAPIError, TimeoutError

from slowwave.domain.scope import SYSTEM_TENANT
from slowwave.errors import Conflict, Elsewhere, Fault, Incorrect, SlowwaveError, Unavailable, Unprepared
from slowwave.runtime.id_key import IdKey
from slowwave.store import advisory_locks, id_keys
from slowwave.store.audit.log import Auditing
from slowwave.store.deadline import gone, within
from slowwave.store.direct import BRIDGED, PLAIN, Direct, driver_of, send
from slowwave.store.encoded_values import tell_values
from slowwave.store.encryption.tenant_keys import TenantKeys
from slowwave.store.engine import (
    ALONE,
    IN_A_CELL,
    SET_VALUES,
    STATEMENT_MS,
    VALUES,
    close_if_read_only,
    engine,
    learn_vectors,
)
from slowwave.store.replica import Replica, ReplicaLost, bytes_behind
from slowwave.store.sqlstates import ELSEWHERE, refusal
from slowwave.store.transaction import bare, govern, plain
from slowwave.threads import turns_are_taken

if TYPE_CHECKING:
    from slowwave.core.policy import Policy
    from slowwave.core.predicates import Predicates

T = TypeVar("T")

DEADLINE_SECONDS = STATEMENT_MS / 1000 + 5
"""Seconds after which the client closes the connection of a transaction: a frozen server enforces no timeout."""
LONG_SECONDS = 86_400.0
"""The time limit of a transaction of `Database.long`."""
PLANS_SECONDS = 5.0
"""A session discards its cached plans after this time."""
MOST_STALE = 20
"""The maximum number of dead connections that one transaction discards, as after a restart of the server."""
_OF_TENANT = "SELECT set_config('slowwave.tenant', %(tenant)s, true), set_config('plan_cache_mode', %(plans)s, true)"
Plans = Literal["auto", "force_generic_plan"]
"""The plans of prepared statements: the planner chooses, or plans are never made for the values of one question."""
_REPORT = "please report this"
_MIGRATE = "`slowwave db migrate` as slowwave_owner fixes the schema; `slowwave doctor` says what is missing"
_GRANTED = "; a new statement reads only the columns that a migration grants to its role, app or dispatch"
_LATER = "try again in a moment; `slowwave doctor` says what is reachable, and by which address"
_CORRECT = "; `slowwave doctor` shows the address without its password"
_WRONG_PARTS = {
    "resolve host": f"correct the host in SLOWWAVE_URL{_CORRECT}",
    "refused": f"start Postgres, or correct the host or port in SLOWWAVE_URL{_CORRECT}",
    "No such file": f"start Postgres, or correct the folder of its socket in SLOWWAVE_URL{_CORRECT}",
    "password": f"correct the login or password in SLOWWAVE_URL{_CORRECT}",
    "does not exist": f"correct the login or the database in SLOWWAVE_URL{_CORRECT}",
}
"""Hints by a part of the message of a failed connection. The driver gives no code for these failures."""


class Cells(Protocol):
    """The databases of an installation with several."""

    def database_of(self, tenant: str) -> "Database":
        """Return the database of a tenant's cell."""

    def elsewhere(self, cell: str, tenant: str, text: str) -> None:
        """Note that *tenant* is not in *cell*; *text* is the cell's mark."""


class Database:
    """The two connection pools of one Postgres. A process makes one `Database`. Connections open when first needed.

    *auditing* is the audit level, *policy_of* returns a tenant's memory policy, *registry* returns the known
    predicates, *keys* encrypts words, *id_key* is the id key, *read_url* is the address of a streaming replica, which
    may lack others' writes for *read_stale_seconds*. With *pooler*, both addresses are of poolers (see `engine`).
    *cell* is the name of this cell among *cells*.
    """

    def __init__(
        self,
        url: str,
        *,
        pool_size: int = 4,
        auditing: Auditing | None = None,
        policy_of: "Callable[[str], Policy]" = lambda _tenant: bare(),
        registry: "Callable[[], Predicates]" = plain,
        keys: TenantKeys | None = None,
        id_key: IdKey | None = None,
        read_url: str | None = None,
        read_stale_seconds: float = 1.0,
        pooler: bool = False,
        cell: str | None = None,
        cells: "Cells | None" = None,
    ) -> None:
        self._cell, self._cells = cell, cells
        self._of_tenant = _OF_TENANT if cell is None else f"{_OF_TENANT}, slowwave_enter(%(tenant)s)"
        self.keys = keys or TenantKeys()
        self._id_key, self._id_key_fits = id_key, False
        self._closed = False
        self._auditing = auditing or Auditing()
        self._policy_of = policy_of
        self._registry = registry
        self._url, self._pool_size, self._pooler = url, pool_size, pooler
        self._read_url, self._replica = read_url, None if read_url is None else Replica(read_stale_seconds)
        self._app, self._dispatch, *self._reading = self._pools(PLAIN)
        self._bridged: Sequence[Engine] = ()

    @contextmanager
    def tenant(
        self, tenant: str, *, deadline_seconds: float | None = None, plans: Plans = "auto"
    ) -> Iterator[Connection]:
        """Give a transaction that sees one tenant's rows. The transaction commits when the block ends without an error.

        After *deadline_seconds* the connection is closed, even if the server does not respond.
        """
        self._refuse_closed()
        self._read_keys(tenant)
        with self._writing(tenant), translated(), _transaction(self._pool(0), deadline_seconds) as connection:
            self._enter(connection, tenant, plans)
            yield connection

    @contextmanager
    def reading(self, tenant: str, *, plans: Plans = "auto") -> Iterator[Connection]:
        """Give a transaction as `tenant` does, for reads that write nothing.

        A replica serves the transaction if it has all writes of this process, and those that others made before
        *read_stale_seconds*; else the primary does. Raises `ReplicaLost` if the replica fails in the middle. Audited
        reads write a row, so the primary serves them.
        """
        with ExitStack() as stack:
            if (connection := self._on_replica(tenant, stack, plans)) is None:
                yield stack.enter_context(self.tenant(tenant, plans=plans))
            else:
                yield connection

    def read(self, tenant: str, work: Callable[[Connection], T]) -> T:
        """Return the result of *work* in a transaction of `reading`. If the replica fails, the primary serves it."""
        return again_if_lost(lambda: self._read(tenant, work))

    def _read(self, tenant: str, work: Callable[[Connection], T]) -> T:
        with self.reading(tenant) as connection:
            return work(connection)

    def replica_bytes_behind(self) -> int:
        """Return how many bytes of the primary's log the replica has not replayed.

        Raises `Unavailable` if there is no replica, or if it does not follow the primary.
        """
        if self._replica is None:
            raise Unavailable("no replica is set", hint="set SLOWWAVE_READ_URL")
        with translated(), _transaction(self._pool(0), None) as connection:
            position = self._replica.read_position(connection)
        with translated(), _transaction(self._pool(2), None) as connection:
            return bytes_behind(connection, position)

    def _on_replica(self, tenant: str, stack: ExitStack, plans: Plans) -> Connection | None:
        """Return a connection to the replica, for as long as *stack* lasts; None if the primary must serve the read."""
        replica = self._replica
        if replica is None or not replica.in_use or self._auditing.includes("reads"):
            return None
        self._refuse_closed()
        self._read_keys(tenant)
        if (position := replica.position) is None:
            with translated(), _transaction(self._pool(0), None) as connection:
                position = replica.read_position(connection)
        try:
            with ExitStack() as opened:
                opened.enter_context(replica.lost())
                opened.enter_context(translated())
                connection = opened.enter_context(_transaction(self._pool(2), None))
                replica.wait(connection, position)
                self._enter(connection, tenant, plans)
                stack.enter_context(opened.pop_all())
        except ReplicaLost:
            return None
        return connection

    @contextmanager
    def long(self, tenant: str, *, frozen: bool = False) -> Iterator[Connection]:
        """Give a transaction as `tenant` does, for large data moves. The transaction may take a day, and may be idle.

        A *frozen* transaction sees a single snapshot, without later commits of other transactions.
        """
        self._refuse_closed()
        self._read_keys(tenant)
        isolation = "REPEATABLE READ" if frozen else None
        with self._writing(tenant), translated(), _transaction(self._pool(0), LONG_SECONDS, isolation) as connection:
            connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
            self._enter(connection, tenant)
            yield connection

    @contextmanager
    def dispatch(self) -> Iterator[Connection]:
        """Give a transaction that sees last positions, leases, watermarks, firings, intents and runs of all tenants."""
        self._refuse_closed()
        with self._writing(), translated(), _transaction(self._pool(1), DEADLINE_SECONDS) as connection:
            if self._cell is not None:
                send(connection, "SELECT pg_advisory_xact_lock_shared(%(it)s)", {"it": advisory_locks.BACKGROUND})
            yield connection

    def at(self, tenant: str) -> "Database":
        """Return the database of the cell in which *tenant* is now; without cells, this database."""
        return self if self._cells is None else self._cells.database_of(tenant)

    def tenants(self) -> list[str]:
        """Return the names of all tenants, in order."""
        with self.dispatch() as connection:
            return list(connection.exec_driver_sql("SELECT tenant FROM tenants ORDER BY tenant").scalars())

    def close(self) -> None:
        """Close all connections for good. No connection is opened afterwards."""
        self._closed = True
        self.hang_up()

    def hang_up(self) -> None:
        """Close the idle connections; on an event loop, those of the async driver. Later transactions open new ones."""
        for pool in self._bridged if turns_are_taken() else (self._app, self._dispatch, *self._reading):
            pool.dispose()

    @contextmanager
    def _writing(self, tenant: str = "") -> Iterator[None]:
        try:
            yield
        except Elsewhere as error:
            if self._cells is not None and self._cell is not None:
                self._cells.elsewhere(self._cell, tenant, error.mark)
            raise
        finally:
            if self._replica is not None:
                self._replica.wrote()

    def _enter(self, connection: Connection, tenant: str, plans: Plans = "auto") -> None:
        send(connection, self._of_tenant, {"tenant": tenant, "plans": plans})
        self._auditing.mark(connection)
        govern(connection, partial(self._policy_of, tenant), self._registry)
        id_keys.mark(connection, self._id_key, cell=self._cell)
        if not self._id_key_fits:
            id_keys.refuse_other(connection)
            self._id_key_fits = True
        self.keys.enter(connection, tenant)

    def _read_keys(self, tenant: str) -> None:
        """Read the data keys of *tenant* in a transaction of its own, unless they are known; create the first key."""
        for name in (SYSTEM_TENANT, tenant):  # a tenant's process also reads rows of the installation
            if not self.keys.is_known(name):
                with self._writing(name), translated(), _transaction(self._pool(0), None) as connection:
                    send(connection, self._of_tenant, {"tenant": name, "plans": "auto"})
                    self.keys.read(connection, name)

    def _pool(self, which: int) -> Engine:
        """Return the pool of `app` (*which* is 0), `dispatch` (1) or the replica (2), with the thread's driver."""
        if not turns_are_taken():
            return (self._app, self._dispatch, *self._reading)[which]
        self._bridged = self._bridged or self._pools(BRIDGED)
        return self._bridged[which]

    def _pools(self, driver: str) -> Sequence[Engine]:
        pools = [self._app_pool(self._url, driver), self._pool_of(self._url, "slowwave_dispatch", driver)]
        return pools if self._read_url is None else [*pools, self._app_pool(self._read_url, driver)]

    def _app_pool(self, url: str, driver: str) -> Engine:
        app = self._pool_of(url, "slowwave_app", driver)
        event.listen(app, "connect", learn_vectors)
        event.listen(app, "connect", self.keys.read_by)  # after `tell_values`, whose decoder of JSON it replaces
        return app

    def _pool_of(self, url: str, role: str, driver: str) -> Engine:
        name = ALONE if self._cell is None else IN_A_CELL
        pool = engine(url, role=role, pool_size=self._pool_size, driver=driver, pooler=self._pooler, name=name)
        event.listen(pool, "connect", tell_values)
        event.listen(pool, "handle_error", close_if_read_only)
        return pool

    def _refuse_closed(self) -> None:
        if self._closed:
            raise Incorrect("this memory was closed", hint="connect again: `Memory.connect()`")


def again_if_lost(read: Callable[[], T]) -> T:
    """Return the result of *read*. If the replica fails meanwhile, the primary serves a second call of *read*."""
    try:
        return read()
    except ReplicaLost:
        return read()


class Repository:
    """The rows of one kind in *database*, with methods that read and change them in transactions."""

    def __init__(self, database: Database) -> None:
        self._database = database


@contextmanager
def _transaction(pool: Engine, deadline_seconds: float | None, isolation: str | None = None) -> Iterator[Connection]:
    with pool.connect() as connection:
        if isolation is not None:
            connection.execution_options(isolation_level=isolation)
        for _ in range(MOST_STALE):
            if not gone(driver_of(connection)):
                break
            connection.invalidate()
        with (
            within(driver_of(connection), deadline_seconds or DEADLINE_SECONDS),
            connection.begin(),
            connection.sending() if isinstance(connection, Direct) else nullcontext(),
        ):
            if values := pool.get_execution_options().get(VALUES):
                send(connection, SET_VALUES, values)
            _plan_anew(connection)
            yield connection


def _plan_anew(connection: Connection) -> None:
    """Discard old query plans: a plan made for an empty table would still scan the whole table when it is large.

    Without this, Postgres makes new plans only after autoanalyze, a minute later at best.
    """
    now = time.monotonic()
    if now - connection.info.setdefault("planned", now) >= PLANS_SECONDS:
        connection.info["planned"] = now
        connection.exec_driver_sql("DISCARD PLANS")


@contextmanager
def translated() -> Iterator[None]:
    """Convert every error of the driver to an error of Slowwave, whose class tells who must act.

    Raises `Unavailable` if a later attempt may succeed, `Conflict` for a lost race, `Incorrect` for a value that
    Postgres cannot store, `Unprepared` if an operator must act, and `Fault` for a defect of Slowwave.
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
    """Return Slowwave's error for an error of the driver. An error has no SQLSTATE if the connection failed."""
    if cause.sqlstate is None:
        if isinstance(cause, psycopg.DataError):
            return _of_a_value(_name(cause))
        if lost or isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError):
            message = _message(cause)
            hint = next((hint for part, hint in _WRONG_PARTS.items() if part in message), _LATER)
            return Unavailable(f"Postgres is unreachable: {message}", retry_after_seconds=1, hint=hint)
        return Fault(f"the driver of Postgres refused ({_name(cause)})", hint=_REPORT)
    if cause.sqlstate == ELSEWHERE:
        return Elsewhere(cause.diag.message_detail or "")
    match refusal(cause.sqlstate):
        case "unavailable":
            return Unavailable(f"Postgres is unreachable or busy ({_name(cause)})", retry_after_seconds=1, hint=_LATER)
        case "conflict":
            return Conflict(f"another transaction came first ({_name(cause)})", hint="read again and decide")
        case "incorrect":
            return _of_a_value(_name(cause))
        case "unprepared":
            grants = _GRANTED if isinstance(cause, psycopg.errors.InsufficientPrivilege) else ""
            return Unprepared(
                f"The database is not ready for this version of Slowwave ({_name(cause)}: {_message(cause)}).",
                hint=_MIGRATE + grants,
            )
        case "fault" if cause.diag.constraint_name:
            return Fault(f"the constraint {cause.diag.constraint_name} stopped a write ({_name(cause)})", hint=_REPORT)
        case "fault":
            return Fault(f"Postgres refused a statement unexpectedly ({_name(cause)}, {cause.sqlstate})", hint=_REPORT)


def _of_a_value(why: str) -> Incorrect:
    return Incorrect(
        f"Postgres cannot store one of these values ({why})",
        hint="NUL, lone surrogates, numbers beyond 64 bits and times after the year 9000 cannot be stored",
    )


def _message(cause: Any) -> str:
    """Return Postgres' message about a connection or a missing object, in one line and without text of users."""
    return str(cause).strip().partition("\n")[0] or _name(cause)


def _name(cause: Any) -> str:
    return type(cause).__name__
