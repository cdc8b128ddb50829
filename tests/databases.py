"""Databases for single tests, on a server that many tests share."""

import copy
import itertools
import os
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

import psycopg
from sqlalchemy import Engine, event

from slowwave import wiring
from slowwave.embedded_services import PostgresServer
from slowwave.settings import Settings
from slowwave.store.database import Database
from tests.scripts import script

WORN = 200
"""The number of tests that share a database, before a new one without dead rows replaces it."""
_COUNTER = itertools.count()


@contextmanager
def heard(of: Any = Engine) -> Iterator[list[str]]:
    """Collect the statements that this thread sends to *of*, a pool of connections, or to any."""
    statements, own = list[str](), threading.get_ident()

    def told(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if threading.get_ident() == own:
            statements.append(statement)

    event.listen(of, "before_cursor_execute", told)
    try:
        yield statements
    finally:
        event.remove(of, "before_cursor_execute", told)


@contextmanager
def copied(server: PostgresServer, template: str, name: str) -> Iterator[str]:
    """Give the name of a copy of *template* without connections; it is dropped afterwards."""
    name = f"{name}_{os.getpid()}"
    with psycopg.connect(server.url("postgres", "postgres"), autocommit=True) as connection:
        connection.execute(
            f"CREATE DATABASE {name} TEMPLATE {template} OWNER slowwave_owner STRATEGY file_copy".encode()
        )
        yield name
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@contextmanager
def registered(settings: Settings, **loaded: object) -> Iterator[wiring.Parts]:
    """Give the parts of a process with its packs registered; what is *loaded* already takes the place of its own."""
    with closing(wiring.connect(settings)) as parts:
        vars(parts).update(loaded)
        wiring.register(parts)
        yield parts


@contextmanager
def opened(server: PostgresServer, database: str, heavy: dict[str, object]) -> Iterator[wiring.Parts]:
    """Give the parts of a process on *database*, the shipped packs registered; what is *heavy* is loaded."""
    url = server.url(database=database)
    with registered(Settings.load(url=url, lease_seconds=60, statements=False), **heavy) as parts:
        yield parts


class Lent:
    """A migrated database that one test has after another, each as if it were new; and warm connections to it.

    What a test wrote is taken back when it ends. One that changed the schema has had its database for the last time.
    """

    def __init__(self, server: PostgresServer, template: str) -> None:
        self._server = server
        self._template = template
        self._worn = 0
        self._url = ""
        self._schema: object = None
        self._connection: psycopg.Connection[Any] | None = None

    @property
    def name(self) -> str:
        """The name of the database, which is like new."""
        if self._connection is None:
            self._make()
        return self._name

    @contextmanager
    def connections(self, parts: wiring.Parts) -> Iterator[None]:
        """Let *parts* use open connections if this is their database; they stay open.

        With encryption, each process has its own connections, which decrypt with the keys of this process.
        """
        if self._connection is None or parts.url != self._url or parts.settings.encryption_keys is not None:
            yield
            return
        cold = parts.database
        warm = copy.copy(cold)
        warm._app, warm._dispatch = self._warm._app, self._warm._dispatch
        vars(parts)["database"] = warm
        try:
            yield
        finally:
            vars(parts)["database"] = cold

    def register(self, parts: wiring.Parts) -> None:
        """Register the packs of *parts*, before a test writes; rows of an equal earlier registration are copied."""
        places = {"url", "owner_url", "home", "cache_url"}
        key = parts.settings.model_dump_json(exclude=places), id(parts.packs)
        connection = self._connection if parts.url == self._url else None
        if connection and key in self._registered:
            with suppress(psycopg.errors.UniqueViolation):  # other packs are registered already
                connection.execute(self._registered[key])
                return
        copies = connection and "packs" not in self._filled(connection) and self._catalogs(connection) == self._schema
        wiring.register(parts)
        if connection and copies:
            self._registered[key] = self._copied(connection, f"registered {len(self._registered)}")
            self._schema = self._catalogs(connection)

    def take_back(self) -> None:
        """Restore the database to its initial state."""
        if self._connection is None:
            return
        self._worn += 1
        if self._worn >= WORN or not self._cleaned(self._connection):
            self.close()

    def close(self) -> None:
        """Drop the database; the next has another name."""
        if self._connection is None:
            return
        self._warm.close()
        self._connection.close()
        self._connection = None
        with self._server_wide() as connection:
            connection.execute(f"DROP DATABASE {self._name} WITH (FORCE)".encode())

    def _make(self) -> None:
        self._worn = 0
        self._name = f"test_{os.getpid()}_{next(_COUNTER)}"
        with self._server_wide() as connection:
            connection.execute(
                f"CREATE DATABASE {self._name} TEMPLATE {self._template} OWNER slowwave_owner "
                "STRATEGY file_copy".encode()
            )
        self._connection = psycopg.connect(self._server.url("postgres", self._name), autocommit=True)
        self._connection.execute(_SEED)
        self._tables, self._seeds = _statements(self._connection)
        self._since = self._connection.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())::xid").fetchone()
        self._schema = self._catalogs(self._connection)
        self._known: set[int] = set()
        self._registered: dict[tuple[str, int], bytes] = {}
        self._url = self._server.url(database=self._name)
        self._warm = Database(self._url)
        for pool in (self._warm._app, self._warm._dispatch):
            event.listen(pool, "connect", lambda connection, _: self._known.add(connection.info.backend_pid))

    def _cleaned(self, connection: psycopg.Connection[Any]) -> bool:
        """Remove the rows that a test wrote; return whether nothing else was changed, and nobody else is connected.

        A process that a test left behind could connect again and write into the next test.
        """
        try:
            if not self._left_alone(connection):
                return False
            connection.execute(_CLOCK)
            if self._catalogs(connection) != self._schema:
                return False
            written = [f"DELETE FROM {name};" for name in self._filled(connection)]
            connection.execute(("".join(written) + self._seeds).encode())
        except psycopg.Error:
            return False
        return True

    def _copied(self, connection: psycopg.Connection[Any], name: str) -> bytes:
        """Copy the tables that have rows and had none at first; return statements that write these rows again.

        Columns that have the time of writing as default get it.
        """
        statements = []
        for table, columns in connection.execute(_WRITTEN, {"tables": self._filled(connection)}).fetchall():
            connection.execute(f'CREATE TEMP TABLE "{name} of {table}" AS TABLE {table}'.encode())
            statements.append(f'INSERT INTO {table} ({columns}) SELECT {columns} FROM pg_temp."{name} of {table}";')
        return "".join(statements).encode()

    def _catalogs(self, connection: psycopg.Connection[Any]) -> object:
        """Return how many rows each system catalog has, and how many are newer than the copied tables."""
        assert self._since is not None
        return connection.execute(_SCHEMA, {"since": self._since[0]}, prepare=True).fetchone()

    def _filled(self, connection: psycopg.Connection[Any]) -> list[str]:
        """Return the names of the tables that have rows."""
        return [name for (name,) in connection.execute(self._tables, prepare=True)]

    def _left_alone(self, connection: psycopg.Connection[Any]) -> bool:
        """Wait until connections that were just closed have ended; return whether there are no others."""
        for _ in range(20):
            if connection.execute(_OTHERS, {"known": [*self._known]}).fetchone() == (0,):
                return True
            time.sleep(0.02)
        return False

    @contextmanager
    def _server_wide(self) -> Iterator[psycopg.Connection[Any]]:
        with psycopg.connect(self._server.url("postgres", "postgres"), autocommit=True) as connection:
            yield connection


def _statements(connection: psycopg.Connection[Any]) -> tuple[bytes, str]:
    """Return a statement that lists the tables with rows, and statements that restore tables and sequences."""
    tables = connection.execute("SELECT name, columns FROM pg_temp.seeded").fetchall()
    filled = " UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (SELECT FROM {name})" for name, _ in tables)
    seeds = "".join(
        f'INSERT INTO {name} ({columns}) OVERRIDING SYSTEM VALUE SELECT {columns} FROM pg_temp."seed of {name}";'
        for name, columns in tables
        if columns
    )
    return filled.encode(), seeds + "SELECT setval(name, value, called) FROM pg_temp.counted"


_OTHERS = script(__file__, "others.sql").encode()

# The tables that had no rows at first, with their columns but those that default to the time of writing.
_WRITTEN = script(__file__, "written.sql").encode()

# The tables and sequences as they are when nobody has written yet, kept where only this session sees them; of the
# tables that have rows their columns. Triggers and foreign keys sleep meanwhile.
_SEED = script(__file__, "seed.sql").encode()

_CLOCK = script(__file__, "clock.sql").encode()

# Whatever a test may have made, altered, granted, dropped or counted shows in one of these.
_SCHEMA = script(__file__, "schema.sql").encode()
