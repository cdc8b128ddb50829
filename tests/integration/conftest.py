"""Real services that tests may break, and one real Celery worker for the session."""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import psycopg
import pytest
import redis

from slowwave import wiring
from slowwave.broker import queue
from slowwave.domain.scope import Scope
from slowwave.embedded_services import PostgresServer, RedisServer
from slowwave.settings import Settings
from tests import folders
from tests.faults.rig.processes import Process, celery, running, until
from tests.integration.asynchronous.awaited import face, pytest_generate_tests
from tests.integration.command import alice, run
from tests.integration.steps import environment

__all__ = ["alice", "face", "pytest_generate_tests", "run"]

T = TypeVar("T")


@pytest.fixture(scope="session")
def open_folder() -> Iterator[Path]:
    """A folder that the accounts of the embedded services may enter."""
    with folders.open_folder("broken", folders.quick()) as folder:
        yield folder


@pytest.fixture(scope="session")
def session_postgres(open_folder: Path) -> Iterator[PostgresServer]:
    server = PostgresServer(open_folder / "postgres", durable=False)
    with server:
        wiring.migrate_database(server.url("slowwave_owner"))
        parts = wiring.connect(Settings.load(url=server.url(), statements=False))
        wiring.register(parts)
        parts.close()
        yield server


@pytest.fixture
def mortal_postgres(session_postgres: PostgresServer) -> Iterator[PostgresServer]:
    """A Postgres, migrated and with packs, that a test may kill; it runs again afterwards."""
    yield session_postgres
    session_postgres.start()


@pytest.fixture(scope="session")
def session_redis(open_folder: Path) -> Iterator[RedisServer]:
    with RedisServer(open_folder / "redis", durable=False) as server:
        yield server


@pytest.fixture
def mortal_redis(session_redis: RedisServer) -> Iterator[RedisServer]:
    """A Redis that a test may freeze, fill or kill; it is well and empty again afterwards."""
    yield session_redis
    session_redis.thaw()
    session_redis.start()
    with queue.redis_client(session_redis.url(0)) as connection:
        connection.config_set("maxmemory", 0)
        connection.flushall()


@pytest.fixture
def hears_hangups() -> Iterator[None]:
    """Restores SIGHUP for programs that a test starts, in case the tests run under `nohup`."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@dataclass(frozen=True)
class Station:
    """A broker, the database its worker stores in, and that worker."""

    postgres: PostgresServer
    broker: RedisServer
    worker: Process

    @property
    def broker_url(self) -> str:
        return self.broker.broker_url

    def client(self) -> redis.Redis:
        """Return a connection to the broker."""
        return queue.redis_client(self.broker.url(0))

    def rows(self, statement: str, *values: Any) -> Sequence[tuple[Any, ...]]:
        """Return the rows of *statement*, without row-level security."""
        return rows(self.postgres, statement, *values)

    def stored(self, scope: Scope) -> list[tuple[str, str]]:
        """Return key and content of a scope's episodes, in order of position."""
        return stored(self.postgres, scope)

    def letters(self, scope: Scope) -> list[tuple[str, str, Any]]:
        """Return category, reason and item of a scope's dead letters."""
        found = self.rows("SELECT category, reason, item FROM dead_letters WHERE scope = %s ORDER BY letter", scope.id)
        return [(category, reason, item) for category, reason, item in found]

    def send(self, *messages: str | bytes) -> None:
        """Put messages into the queue by hand."""
        with self.client() as client:
            for message in messages:
                client.lpush(queue.QUEUE, message)

    def until(self, found: Callable[[], T | None], what: str, **patience: float) -> T:
        """Return the first result of *found*; fail with *what* and the end of the worker's log."""
        return until(found, what, otherwise=self.worker.said, **patience)

    def until_stored(self, scope: Scope, count: int) -> list[tuple[str, str]]:
        """Return a scope's episodes once there are *count*."""
        self.until(lambda: len(self.stored(scope)) >= count, f"{count} episodes stored")
        return self.stored(scope)

    def until_letters(self, scope: Scope, count: int = 1) -> list[tuple[str, str, Any]]:
        """Return a scope's dead letters once there are *count*."""
        self.until(lambda: len(self.letters(scope)) >= count, f"{count} dead letters")
        return self.letters(scope)


def rows(server: PostgresServer, statement: str, *values: Any) -> Sequence[tuple[Any, ...]]:
    """Return the rows of *statement*, as superuser."""
    with psycopg.connect(server.url("postgres")) as connection:
        return connection.execute(statement.encode(), values).fetchall()


def stored(server: PostgresServer, scope: Scope) -> list[tuple[str, str]]:
    """Return key and content of a scope's episodes, in order of position."""
    found = rows(server, "SELECT key, content FROM episodes WHERE scope = %s ORDER BY position", scope.id)
    return [(key, content) for key, content in found]


def worker_of(postgres: PostgresServer, broker_url: str, log: Path) -> Process:
    """Return a worker with two processes, not started yet."""
    env = environment(
        url=postgres.url(), broker_url=broker_url, soft_limit_seconds="5", worker_processes="2", statements="off"
    )
    return Process(celery("worker.app", processes=2), env, log)


@pytest.fixture(scope="session")
def session_station(session_postgres: PostgresServer, open_folder: Path) -> Iterator[Station]:
    with RedisServer(open_folder / "broker", durable=False) as broker:
        worker = worker_of(session_postgres, broker.broker_url, open_folder / "worker.log")
        with running(worker):
            until(lambda: "ready." in worker.said(), "the worker is ready", otherwise=worker.said)
            yield Station(session_postgres, broker, worker)


@pytest.fixture
def station(session_station: Station, mortal_postgres: PostgresServer) -> Iterator[Station]:
    """A broker and a worker that runs for the whole session; its Postgres may be killed meanwhile."""
    yield session_station
    assert session_station.worker.running, session_station.worker.said()


@pytest.fixture
def lonely_worker(mortal_postgres: PostgresServer, mortal_redis: RedisServer, tmp_path: Path) -> Iterator[Process]:
    """A worker of one test, which may break it; it is not started yet."""
    worker = worker_of(mortal_postgres, mortal_redis.broker_url, tmp_path / "worker.log")
    yield worker
    if worker.running:
        worker.kill_group()


@pytest.fixture
def connected(mortal_postgres: PostgresServer) -> Iterator[Callable[..., wiring.Parts]]:
    """Makes parts on the Postgres that may be killed, with any other settings."""
    with ExitStack() as made:

        def connect(**settings: Any) -> wiring.Parts:
            settings = {"statements": False, **settings}
            return made.enter_context(closing(wiring.connect(Settings.load(url=mortal_postgres.url(), **settings))))

        yield connect
