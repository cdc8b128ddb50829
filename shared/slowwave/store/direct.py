"""Statements that go directly to the driver. The driver may block, or be bridged to an event loop."""

from collections import namedtuple
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from typing import Any, Generic, TypeVar, cast

import psycopg
from psycopg import generators
from psycopg.abc import PQGen
from sqlalchemy import Connection, CursorResult
from sqlalchemy.exc import MultipleResultsFound, NoResultFound
from sqlalchemy.util import await_only, greenlet_spawn

from slowwave.store.sqlstates import READ_ONLY

T = TypeVar("T")

PLAIN, BRIDGED = "psycopg", "psycopg_async"
"""The drivers of an engine: PLAIN for connections that block, BRIDGED for code that is `spawned`."""
Driver = psycopg.Connection[Any] | psycopg.AsyncConnection[Any]
P = TypeVar("P", psycopg.Pipeline, psycopg.AsyncPipeline)


def spawned(work: Callable[[], T]) -> Coroutine[Any, Any, T]:
    """Return a coroutine that runs *work*, which may call `waited_for`."""
    return greenlet_spawn(work)


def waited_for(awaitable: Awaitable[T]) -> T:
    """Return the result of *awaitable*. The event loop runs meanwhile. Call this function only in `spawned` code."""
    return await_only(awaitable)


class Rows(Generic[T]):
    """The rows of a statement, read completely, with the methods of SQLAlchemy's results that the store uses."""

    def __init__(self, rows: list[T], names: Sequence[str] = (), rowcount: int = -1) -> None:
        self._rows, self._names, self.rowcount = rows, names, rowcount

    def __iter__(self) -> Iterator[T]:
        return iter(self._rows)

    def keys(self) -> Sequence[str]:
        """Return the names of the columns."""
        return self._names

    def all(self) -> list[T]:
        """Return every row."""
        return self._rows

    def first(self) -> T | None:
        """Return the first row; None if there is no row."""
        return self._rows[0] if self._rows else None

    def one_or_none(self) -> T | None:
        """Return the only row; None if there is no row. Raises `MultipleResultsFound`."""
        if len(self._rows) > 1:
            raise MultipleResultsFound("more than one row was found where at most one was expected")
        return self.first()

    def one(self) -> T:
        """Return the only row. Raises `NoResultFound` and `MultipleResultsFound`."""
        if not self._rows:
            raise NoResultFound("no row was found where one was expected")
        return cast("T", self.one_or_none())

    def scalars(self) -> "Rows[Any]":
        """Return the values of the first column."""
        return Rows([cast("Any", row)[0] for row in self._rows])

    def scalar(self) -> Any:
        """Return the first value of the first row; None if there is no row."""
        return self.scalars().first()

    def scalar_one(self) -> Any:
        """Return the only row's first value. Raises `NoResultFound` and `MultipleResultsFound`."""
        return self.scalars().one()

    def scalar_one_or_none(self) -> Any:
        """Return the only row's first value; None if there is no row. Raises `MultipleResultsFound`."""
        return self.scalars().one_or_none()

    def mappings(self) -> "Rows[dict[str, Any]]":
        """Return each row as a mapping by column."""
        return Rows([dict(zip(self._names, cast("Any", row), strict=True)) for row in self._rows])


class Direct(Connection):
    """A connection that passes statements directly to the driver, within the transaction that SQLAlchemy manages."""

    _sent: ExitStack | None = None
    _pipeline: psycopg.Pipeline

    def exec_driver_sql(
        self, statement: str, parameters: Any = None, execution_options: Any = None
    ) -> CursorResult[Any]:
        """Run *statement*; return its `Rows`. If there are options or listeners, SQLAlchemy runs the statement."""
        if execution_options or self.dispatch.before_cursor_execute:
            self.arrive()
            return super().exec_driver_sql(statement, parameters, execution_options)
        if not self.in_transaction():
            self.begin()
        driver = driver_of(self)
        with self._invalidated_if_broken(driver):
            if isinstance(driver, psycopg.AsyncConnection):
                found = waited_for(_awaited(driver, statement, parameters))
            else:
                found = self._arrived(driver.cursor().execute(statement.encode(), parameters))
        return cast("CursorResult[Any]", found)  # Rows has each method that the store uses

    @contextmanager
    def sending(self) -> Iterator[None]:
        """Within the block, `send` does not wait for results. The end of the block waits for all results.

        If a result is pending at the end, COMMIT goes in the same round trip, unless there are listeners. After an
        error, Postgres answers it with a rollback. SQLAlchemy then has nothing to commit.
        """
        with ExitStack() as self._sent:
            yield
            if self._sends() and driver_of(self).pgconn.pipeline_status and not self.dispatch.commit:
                self._cursor("COMMIT", None, last=True)
        self._sent = None

    def send(self, statement: str, parameters: Any) -> None:
        """Send *statement* without waiting for its result. A later statement may raise the error of *statement*."""
        if self._sends():
            self._cursor(statement, parameters)
        else:
            self.exec_driver_sql(statement, parameters)

    def ask(self, statement: str, parameters: Any) -> "Callable[[], Rows[Any]]":
        """Send *statement*; return a function that waits for the result and returns its `Rows`, or raises its error."""
        if not self._sends():
            found = cast("Rows[Any]", self.exec_driver_sql(statement, parameters))
            return lambda: found
        driver, cursor = driver_of(self), self._cursor(statement, parameters)

        def answer() -> Rows[Any]:
            with self._invalidated_if_broken(driver):
                return self._arrived(cursor)

        return answer

    def _sends(self) -> bool:
        sends = self._sent is not None and isinstance(driver_of(self), psycopg.Connection)
        return sends and not self.dispatch.before_cursor_execute

    def _cursor(self, statement: str, parameters: Any, *, last: bool = False) -> "psycopg.Cursor[Any]":
        driver = driver_of(self)
        assert isinstance(driver, psycopg.Connection)
        assert self._sent is not None  # as `_sends` says
        if not driver.pgconn.pipeline_status:
            self._pipeline = unflushed(self._sent.enter_context(driver.pipeline()))
        cursor = driver.cursor().execute(statement.encode(), parameters, prepare=False if last else None)
        if not last:  # the end of the pipeline also sends a sync
            driver.pgconn.pipeline_sync()  # else Postgres waits for a sync without a time limit, see `unflushed`
            self._pipeline.result_queue.append(None)  # so that psycopg expects the answer to the sync
        return cursor

    def _arrived(self, cursor: "psycopg.Cursor[Any]") -> Rows[Any]:
        self.arrive()  # together with the statements that were sent before
        return _rows(cursor, cursor.fetchall() if _columns(cursor) else [])

    @contextmanager
    def _invalidated_if_broken(self, driver: Driver) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            if driver.closed or not isinstance(error, Exception) or getattr(error, "sqlstate", None) == READ_ONLY:
                self.invalidate(error)  # a session stays read-only even if the server accepts writes in new ones
            raise

    def arrive(self) -> None:
        """Wait for the results of all sent statements; raise the first error."""
        if self._sent is not None:
            self._sent.close()


def unflushed(pipeline: P) -> P:
    """Return *pipeline*, changed so that Postgres' idle timeout for transactions also works after the pipeline.

    Statements wait in the buffer of libpq until a sync sends all; psycopg would call select and send for each of them.

    psycopg ends a pipeline with a sync and a flush request. The flush request makes Postgres stop the idle timer, so a
    frozen process would keep its locks for good. The flush request is not needed, because the sync returns every
    result. psycopg sends its buffer before it waits for results, also without the flush request.
    """
    fetch: Any = pipeline._fetch_gen

    def fetched(**_: bool) -> PQGen[None]:
        yield from generators.send(pipeline.pgconn)
        yield from fetch(flush=False)

    def buffered() -> PQGen[None]:
        while pipeline.command_queue:
            pipeline.command_queue.popleft()()
        yield from ()

    pipeline._fetch_gen = fetched  # type: ignore[method-assign]  # psycopg has no option for it
    pipeline._communicate_gen = buffered  # type: ignore[method-assign]  # nor for this
    return pipeline


def send(connection: Connection, statement: str, parameters: Any) -> None:
    """Run *statement* as `Direct.send` does if *connection* is a `Direct`, else as usual."""
    (connection.send if isinstance(connection, Direct) else connection.exec_driver_sql)(statement, parameters)


def ask(connection: Connection, statement: str, parameters: Any) -> Callable[[], Rows[Any]]:
    """Run *statement* as `Direct.ask` does if *connection* is a `Direct`, else at once; return the function for its
    rows.
    """
    if isinstance(connection, Direct):
        return connection.ask(statement, parameters)
    found = cast("Rows[Any]", connection.exec_driver_sql(statement, parameters))
    return lambda: found


def driver_of(connection: Connection) -> Driver:
    """Return the driver's connection. Its next statement shares one round trip with all statements sent before."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection | psycopg.AsyncConnection)
    return driver


def arrive(connection: Connection) -> None:
    """Wait for the results of statements sent on *connection*; raise the first error."""
    if isinstance(connection, Direct):
        connection.arrive()


@contextmanager
def one_trip(connection: Connection, driver: "psycopg.Connection[Any]") -> Iterator[None]:
    """Send the statements of the block in one round trip, together with the statements sent before."""
    if driver.pgconn.pipeline_status:
        yield
    else:
        with driver.pipeline() as pipeline:
            unflushed(pipeline)
            yield
    arrive(connection)


async def _awaited(driver: psycopg.AsyncConnection[Any], statement: str, parameters: Any) -> Rows[Any]:
    cursor = await driver.cursor().execute(statement.encode(), parameters)
    return _rows(cursor, await cursor.fetchall() if _columns(cursor) else [])


def _columns(cursor: "psycopg.Cursor[Any] | psycopg.AsyncCursor[Any]") -> int:
    return cursor.pgresult.nfields if cursor.pgresult else 0


def _rows(cursor: "psycopg.Cursor[Any] | psycopg.AsyncCursor[Any]", rows: list[Any]) -> Rows[Any]:
    result = cursor.pgresult
    names = tuple([result.fname(at) for at in range(result.nfields)]) if result else ()
    columns, made = _row(names)
    return Rows(list(map(made, rows)), columns, cursor.rowcount)


@lru_cache(maxsize=1024)
def _row(names: tuple[bytes | None, ...]) -> tuple[tuple[str, ...], Callable[[Sequence[Any]], Any]]:
    """Return the *names* of columns as text, and the function that makes a named tuple of a row."""
    columns = tuple((name or b"").decode() for name in names)
    made: Any = namedtuple  # untyped, because the names are known only at run time
    return columns, made("Row", columns, rename=True)._make
