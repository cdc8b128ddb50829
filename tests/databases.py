"""Databases of a test's own, on a server that many tests share."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from slowwave import wiring
from slowwave.embedded import PostgresServer
from slowwave.settings import Settings


@contextmanager
def copied(server: PostgresServer, template: str, name: str) -> Iterator[str]:
    """Give the name of a copy of *template*, to which nobody is connected; it is dropped afterwards."""
    name = f"{name}_{os.getpid()}"
    with psycopg.connect(server.url("postgres", "postgres"), autocommit=True) as connection:
        connection.execute(
            f"CREATE DATABASE {name} TEMPLATE {template} OWNER slowwave_owner STRATEGY file_copy".encode()
        )
        yield name
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@contextmanager
def opened(server: PostgresServer, database: str, heavy: dict[str, object]) -> Iterator[wiring.Parts]:
    """Give the parts of a process on *database*, the shipped packs registered; what is *heavy* is loaded."""
    parts = wiring.connect(Settings.load(url=server.url(database=database), lease_seconds=60, statements=False))
    vars(parts).update(heavy)
    wiring.register(parts)
    try:
        yield parts
    finally:
        parts.close()
