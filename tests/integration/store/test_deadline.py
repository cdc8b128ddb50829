"""A frozen server enforces no time-out: the client ends the connection at its deadline."""

import contextlib
import os
import resource
import threading
from collections.abc import Callable, Iterator

import psutil
import psycopg
import pytest

from slowwave.domain.scope import Scope
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.errors import Unavailable
from slowwave.store import database, deadline
from slowwave.store.inbox import inbox
from slowwave.wiring import Parts


class Frost:
    """Freezes a Postgres with all its sessions, and thaws it."""

    def __init__(self, server: PostgresServer) -> None:
        assert server.pid is not None
        self._server = psutil.Process(server.pid)
        self._stopped: list[psutil.Process] = []

    def freeze(self) -> None:
        for process in [self._server, *self._server.children(recursive=True)]:
            process.suspend()
            self._stopped.append(process)

    def thaw(self) -> None:
        while self._stopped:
            with contextlib.suppress(psutil.NoSuchProcess):  # a disconnected session ends when the server thaws
                self._stopped.pop().resume()


@pytest.fixture
def frost(mortal_postgres: PostgresServer) -> Iterator[Frost]:
    """The object that freezes Postgres; it thaws at the latest after the test."""
    frost = Frost(mortal_postgres)
    yield frost
    frost.thaw()


@pytest.mark.accept
def test_a_push_to_a_frozen_postgres_ends_meanwhile_and_its_repetition_is_stored_once(
    connected: Callable[..., Parts], frost: Frost, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox, "PUSH_SECONDS", 0.5)
    parts = connected()
    parts.push(scope, ["a first one, so that a connection is open"])
    raised: list[Unavailable] = []

    def try_it() -> None:
        try:
            parts.push(scope, [{"content": "I moved to Oslo", "key": "k"}])
        except Unavailable as error:
            raised.append(error)

    frost.freeze()
    caller = threading.Thread(target=try_it, daemon=True)
    caller.start()
    caller.join(60)

    assert not caller.is_alive()
    (error,) = raised
    assert error.retry_after_seconds > 0
    frost.thaw()
    (receipt,) = parts.push(scope, [{"content": "I moved to Oslo", "key": "k"}])

    assert (receipt.state, receipt.position) == ("stored", 2)


def test_a_closed_connection_is_detected_without_a_statement(mortal_postgres: PostgresServer) -> None:
    with psycopg.connect(mortal_postgres.url("postgres", "postgres"), autocommit=True) as other:
        idle = psycopg.connect(mortal_postgres.url("postgres", "postgres"))
        assert not deadline.gone(idle)

        other.execute("SELECT pg_terminate_backend(%s, 10000)", [idle.info.backend_pid])

        assert deadline.gone(idle)
        idle.close()


def test_a_transaction_that_ends_in_time_is_left_alone(connected: Callable[..., Parts]) -> None:
    parts = connected()
    for _ in range(3):
        with parts.database.tenant("default", deadline_seconds=database.DEADLINE_SECONDS) as connection:
            assert connection.exec_driver_sql("SELECT 1").scalar_one() == 1
    with pytest.raises(Unavailable), parts.database.tenant("default", deadline_seconds=0.2) as connection:
        connection.exec_driver_sql("SELECT pg_sleep(20)")


def test_the_deadline_watcher_wakes_only_for_the_first_or_an_earlier_deadline(
    connected: Callable[..., Parts], monkeypatch: pytest.MonkeyPatch
) -> None:
    watch, woken = deadline._Watch(), [0]
    wake = watch.change.notify

    def counted() -> None:
        woken[0] += 1
        wake()

    monkeypatch.setattr(watch.change, "notify", counted)
    monkeypatch.setattr(deadline, "_watch", watch)
    monkeypatch.setattr(deadline, "LONGEST_WAIT_SECONDS", 60.0)
    parts = connected()

    for _ in range(50):
        with parts.database.tenant("default"):
            pass

    assert woken[0] < 10
    with pytest.raises(Unavailable), parts.database.tenant("default", deadline_seconds=0.2) as connection:
        connection.exec_driver_sql("SELECT pg_sleep(20)")


def test_a_connection_is_checked_and_closed_without_a_free_file_descriptor(url: str) -> None:
    with psycopg.connect(url) as connection:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (connection.fileno() + 1, hard))
        try:
            spare: list[int] = []
            with contextlib.suppress(OSError):  # until there is none left
                while True:
                    spare.append(os.dup(connection.fileno()))
            seen_gone = deadline.gone(connection)
            deadline._hang_up(connection)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            for each in spare:
                os.close(each)
        assert not seen_gone
        assert deadline.gone(connection)
