"""Three Postgres servers, each a cell of one installation."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest
import yaml

from slowwave import wiring
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.memory import Memory
from slowwave.settings import Settings
from slowwave.wiring import moving
from tests.folders import open_folder, quick

NAMES = ("one", "two", "three")


@pytest.fixture(scope="session")
def servers() -> Iterator[dict[str, PostgresServer]]:
    """A Postgres server for each cell, with a migrated database."""
    with ExitStack() as stack:
        found = {}
        for name in NAMES:
            home = stack.enter_context(open_folder(f"cell-{name}", quick()))
            found[name] = stack.enter_context(PostgresServer(home / "postgres", durable=False))
            wiring.migrate_database(found[name].url("slowwave_owner"))
        yield found


@pytest.fixture(scope="session")
def prepared(servers: dict[str, PostgresServer], tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The settings of an installation with three cells, whose databases tests copy."""
    path = tmp_path_factory.mktemp("cells") / "cells.yaml"
    settings = Settings.load(cells=path, lease_seconds=2, statements=False, home=path.parent)
    for name, server in servers.items():
        with psycopg.connect(server.url("postgres", "postgres"), autocommit=True) as connection:
            connection.execute("CREATE DATABASE prepared TEMPLATE slowwave OWNER slowwave_owner")
        moving.add(settings, name, server.url(database="prepared"), server.url("slowwave_owner", "prepared"))
    return settings


@contextmanager
def copied(server: PostgresServer, name: str, template: str = "slowwave") -> Iterator[tuple[str, str]]:
    """Give the address of a copy of a database, as slowwave and as slowwave_owner."""
    with psycopg.connect(server.url("postgres", "postgres"), autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE {template} OWNER slowwave_owner'.encode())
        yield server.url(database=name), server.url("slowwave_owner", name)
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())


@pytest.fixture
def addresses(servers: dict[str, PostgresServer], prepared: Settings) -> Iterator[dict[str, tuple[str, str]]]:
    """The addresses of a new cell on each server, as slowwave and as slowwave_owner."""
    assert prepared
    with ExitStack() as stack:
        yield {name: stack.enter_context(copied(server, "a_cell", "prepared")) for name, server in servers.items()}


@pytest.fixture
def settings(prepared: Settings, addresses: dict[str, tuple[str, str]], tmp_path: Path) -> Settings:
    """The settings of an installation with three new cells, and no tenants."""
    assert prepared.cells is not None
    raw = yaml.safe_load(prepared.cells.read_text())
    for name, (url, owner_url) in addresses.items():
        raw["cells"][name].update(url=url, owner_url=owner_url)
    path = tmp_path / "cells.yaml"
    path.write_text(yaml.safe_dump(raw))
    return prepared.model_copy(update={"cells": path, "home": tmp_path})


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
