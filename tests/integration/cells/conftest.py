"""Three Postgres servers, each a cell of one installation."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from slowwave import wiring
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.memory import Memory
from slowwave.settings import Settings
from slowwave.wiring import moving
from tests.folders import open_folder, quick

NAMES = ("one", "two", "three")


@pytest.fixture(scope="session")
def servers() -> Iterator[dict[str, PostgresServer]]:
    """A Postgres server for each cell, with migrated databases that tests copy."""
    with ExitStack() as stack:
        found = {}
        for name in NAMES:
            home = stack.enter_context(open_folder(f"cell-{name}", quick()))
            found[name] = stack.enter_context(PostgresServer(home / "postgres", durable=False))
            wiring.migrate_database(found[name].url("slowwave_owner"))
        yield found


@pytest.fixture
def addresses(servers: dict[str, PostgresServer], tmp_path: Path) -> Iterator[dict[str, tuple[str, str]]]:
    """The address of a new database on each server, as slowwave and as slowwave_owner."""
    name = f"cell_{tmp_path.name}"[:50]
    for server in servers.values():
        with psycopg.connect(server.url("postgres", "postgres"), autocommit=True) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE slowwave OWNER slowwave_owner'.encode())
    yield {cell: (server.url(database=name), server.url("slowwave_owner", name)) for cell, server in servers.items()}
    for server in servers.values():
        with psycopg.connect(server.url("postgres", "postgres"), autocommit=True) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())


@pytest.fixture
def settings(addresses: dict[str, tuple[str, str]], tmp_path: Path) -> Settings:
    """The settings of an installation with three cells, which every test may change."""
    settings = Settings.load(cells=tmp_path / "cells.yaml", lease_seconds=2, statements=False, home=tmp_path)
    for name, (url, owner_url) in addresses.items():
        moving.add(settings, name, url, owner_url)
    return settings


@pytest.fixture
def opened(settings: Settings, heavy_parts: dict[str, object]) -> Iterator[Callable[[], Memory]]:
    """A function that connects a new process's memory to the cells."""
    with ExitStack() as stack:

        def connect() -> Memory:
            parts = wiring.connect(settings)
            vars(parts).update(heavy_parts)
            memory = Memory(parts)
            stack.callback(memory.close)
            return memory

        yield connect
