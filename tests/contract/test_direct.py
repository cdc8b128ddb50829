"""A direct statement gives the same result as SQLAlchemy, in the same transaction."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import psycopg
import pytest
from psycopg.pq import TransactionStatus
from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import MultipleResultsFound, NoResultFound

from slowwave.errors import Unavailable
from slowwave.store.blocks.binary_results import execute_binary, sent_ahead
from slowwave.store.database import translated
from slowwave.store.direct import Direct, Rows, ask, send
from slowwave.store.engine import engine
from tests.contract.harness import Harness
from tests.faults.rig.processes import until

NUMBERS = "SELECT n, n * 2 AS twice, 'x' AS \"class\", n AS n FROM generate_series(1, %(last)s) AS n"


@pytest.fixture
def pool(url: str) -> Iterator[Engine]:
    made = engine(url)
    yield made
    made.dispose()


def alike(pool: Engine, ask: Callable[[Connection], Any]) -> Any:
    """Return the result of *ask* from the driver, and assert that SQLAlchemy gives the same."""
    with pool.connect() as connection:
        found = ask(connection)
    event.listen(pool, "before_cursor_execute", lambda *_: None)
    with pool.connect() as connection:
        assert ask(connection) == found
    return found


READERS: dict[str, Callable[[Any], Any]] = {
    "rows": lambda rows: list(map(tuple, rows)),
    "by name": lambda rows: [row.twice for row in rows.all()],
    "first": lambda rows: tuple(rows.first()),
    "keys": lambda rows: list(rows.keys()),
    "mappings": lambda rows: [row["twice"] for row in rows.mappings()],
    "all mappings": lambda rows: [row["twice"] for row in rows.mappings().all()],
    "scalars": lambda rows: rows.scalars().all(),
    "each scalar": lambda rows: list(rows.scalars()),
    "scalar": lambda rows: rows.scalar(),
    "rowcount": lambda rows: rows.rowcount,
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_direct_and_sqlalchemy_rows_have_the_same_readers(pool: Engine, read: Callable[[Any], Any]) -> None:
    assert alike(pool, lambda connection: read(connection.exec_driver_sql(NUMBERS, {"last": 3}))) not in ([], None)


@pytest.mark.parametrize(("last", "refused"), [(0, NoResultFound), (1, None), (2, MultipleResultsFound)])
def test_direct_and_sqlalchemy_results_refuse_missing_and_surplus_rows_alike(
    pool: Engine, last: int, refused: type[Exception] | None
) -> None:
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


def test_a_direct_insert_counts_its_rows_and_is_rolled_back_with_the_transaction(pool: Engine) -> None:
    with pool.connect() as connection:
        connection.exec_driver_sql("CREATE TEMPORARY TABLE told (n int)")
        added = connection.exec_driver_sql("INSERT INTO told VALUES (1), (2)")
        assert (isinstance(added, Rows), added.rowcount, added.all()) == (True, 2, [])
        connection.rollback()
        assert connection.exec_driver_sql("SELECT to_regclass('told')").scalar_one() is None


@pytest.mark.parametrize("end", ["SELECT pg_terminate_backend(pg_backend_pid())", "SET transaction_read_only = on"])
def test_the_pool_replaces_a_session_that_ended_or_became_read_only(pool: Engine, end: str) -> None:
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


SLEEP = "SELECT pg_sleep(%(seconds)s)"
NAP = {"seconds": 0.5}


@pytest.fixture
def numbers(pool: Engine) -> str:
    """A statement that inserts a number into a table of the pool's only session."""
    with pool.begin() as connection:
        connection.exec_driver_sql("CREATE TEMPORARY TABLE numbers (n int PRIMARY KEY)")
    return "INSERT INTO numbers VALUES (%(n)s)"


def kept(pool: Engine) -> list[int]:
    with pool.connect() as connection:
        return list(connection.exec_driver_sql("SELECT n FROM numbers ORDER BY n").scalars())


def test_sent_statements_run_in_order_and_the_caller_does_not_wait(pool: Engine, numbers: str) -> None:
    with pool.begin() as connection, sending(connection):
        send(connection, numbers, {"n": 1})
        send(connection, SLEEP, NAP)
        send(connection, numbers, {"n": 2})
        assert driver(connection).info.transaction_status == TransactionStatus.ACTIVE  # the session still sleeps
        assert connection.exec_driver_sql("SELECT count(*) FROM numbers").scalar_one() == 2
        send(connection, numbers, {"n": 3})
        assert execute_binary(connection, "SELECT count(*) FROM numbers", {})[0].count == 3
        send(connection, numbers, {"n": 4})

    assert kept(pool) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "after",
    [lambda _: None, lambda one: one.exec_driver_sql("SELECT 1"), lambda one: send(one, "SELECT 1", {})],
    ids=["at the end", "a statement", "another that is sent"],
)
def test_an_error_of_a_sent_statement_is_raised_and_rolls_back_the_transaction(
    pool: Engine, numbers: str, after: Callable[[Connection], Any]
) -> None:
    with pool.connect() as connection:
        before = session(connection)

    def send_twice() -> None:
        with pool.begin() as connection, sending(connection):
            for n in (1, 2, 2):
                send(connection, numbers, {"n": n})
            after(connection)

    with pytest.raises(psycopg.errors.UniqueViolation):
        send_twice()
    assert kept(pool) == []
    with pool.connect() as connection:
        assert session(connection) == before
        assert driver(connection).pgconn.pipeline_status == 0


def test_the_commit_goes_in_one_round_trip_with_the_statements_sent_last(pool: Engine, numbers: str) -> None:
    with pool.begin() as connection:
        with sending(connection):
            send(connection, numbers, {"n": 1})
        assert driver(connection).info.transaction_status == TransactionStatus.IDLE

    assert kept(pool) == [1]


def test_an_error_of_the_caller_rolls_back_the_sent_statements(pool: Engine, numbers: str) -> None:
    def break_off() -> None:
        with pool.begin() as connection, sending(connection):
            send(connection, numbers, {"n": 1})
            raise KeyError

    with pytest.raises(KeyError):
        break_off()
    assert kept(pool) == []
    with pool.connect() as connection:
        assert driver(connection).pgconn.pipeline_status == 0


def test_send_runs_at_once_outside_a_transaction_or_with_a_listener(pool: Engine, numbers: str) -> None:
    with pool.begin() as connection:
        send(connection, numbers, {"n": 1})
        assert driver(connection).info.transaction_status == TransactionStatus.INTRANS
    heard = list[str]()
    event.listen(pool, "before_cursor_execute", lambda *said: heard.append(said[2]))
    with pool.begin() as connection, sending(connection):
        send(connection, numbers, {"n": 2})
        assert heard == [numbers]

    assert kept(pool) == [1, 2]


def test_the_first_statement_of_a_transaction_goes_in_one_round_trip_with_its_tenant(harness: Harness) -> None:
    harness.parts.database.hang_up()  # so that both transactions have the same session
    with harness.parts.database.tenant("default"):
        pass  # the first transaction also compares the keys of the process with those of the database

    with harness.parts.database.tenant("default") as connection:
        assert driver(connection).pgconn.pipeline_status  # the tenant is sent without waiting for the result
        told = connection.exec_driver_sql("SELECT current_setting('slowwave.tenant')").scalar_one()
        assert driver(connection).pgconn.pipeline_status == 0

    assert told == "default"


def arrived(connection: Direct) -> None:
    send(connection, "SELECT 1", {})
    connection.arrive()


@pytest.mark.parametrize(
    "use",
    [lambda one: send(one, "SELECT 1", {}), arrived, lambda one: sent_ahead(one, [("SELECT 1", {})]).__enter__()],
    ids=["sent", "arrived", "sent ahead"],
)
def test_postgres_ends_an_idle_transaction_after_a_pipeline(
    pool: Engine, superuser: psycopg.Connection, use: Callable[[Connection], object]
) -> None:
    with pytest.raises(Unavailable), translated(), pool.begin() as connection, sending(connection):  # noqa: PT012
        connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = '100ms'")
        own = {"pid": session(connection)}
        use(connection)
        until(
            lambda: not superuser.execute("SELECT FROM pg_stat_activity WHERE pid = %(pid)s", own).rowcount, "it ends"
        )


def test_parameters_that_fill_the_sockets_buffers_arrive(pool: Engine) -> None:
    with translated(), pool.begin() as connection, sending(connection):
        connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = '5s'")
        send(connection, "SELECT length(%(text)s)", {"text": "x" * 40_000_000})
        assert connection.exec_driver_sql("SELECT 1").scalar_one() == 1


def test_answers_that_were_asked_for_arrive_in_any_order(pool: Engine) -> None:
    def asked(connection: Connection) -> list[list[int]]:
        with sending(connection):
            answers = [ask(connection, NUMBERS, {"last": last}) for last in (2, 3)]
            send(connection, "SELECT 1", None)
            return [[row.n for row in answer()] for answer in reversed(answers)]

    assert alike(pool, asked) == [[1, 2, 3], [1, 2]]


def test_an_answer_raises_the_error_of_its_statement(pool: Engine) -> None:
    with pool.connect() as connection, pytest.raises(psycopg.errors.DivisionByZero), sending(connection):
        ask(connection, "SELECT 1 / %(none)s", {"none": 0})()


def sending(connection: Connection) -> AbstractContextManager[None]:
    assert isinstance(connection, Direct)
    return connection.sending()


def driver(connection: Connection) -> psycopg.Connection[Any]:
    found = connection.connection.driver_connection
    assert isinstance(found, psycopg.Connection)
    return found


def session(connection: Connection) -> int:
    return int(connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one())
