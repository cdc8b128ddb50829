"""Fixtures with the usual names on one database per module, for tests that only read the rows of a fixture."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.embedded_services.postgres import PostgresServer
from tests.contract.harness import Harness, somebody
from tests.databases import copied, opened


@pytest.fixture(scope="module")
def harness(postgres_server: PostgresServer, template: str, heavy_parts: dict[str, object]) -> Iterator[Harness]:
    """A harness on the module's database."""
    with copied(postgres_server, template, "module") as name, opened(postgres_server, name, heavy_parts) as parts:
        owner, superuser = (postgres_server.url(login, name) for login in ("slowwave_owner", "postgres"))
        with closing(Harness(parts, owner, superuser)) as harness:
            yield harness


@pytest.fixture(scope="module")
def parts(harness: Harness) -> wiring.Parts:
    """The parts of one process on the module's database."""
    return harness.parts


@pytest.fixture(scope="module")
def url(harness: Harness) -> str:
    """The address of the module's database."""
    assert harness.parts.url is not None
    return harness.parts.url


@pytest.fixture(scope="module")
def owner_url(harness: Harness) -> str:
    """The module's database, as the owner of the schema."""
    return harness.owner_url


@pytest.fixture(scope="module")
def superuser(harness: Harness) -> Iterator[psycopg.Connection[Any]]:
    """A superuser's connection to the module's database, without row-level security; each statement commits."""
    with psycopg.connect(harness.superuser_url, autocommit=True) as connection:
        connection.execute("SET timezone = 'UTC'")
        yield connection


@pytest.fixture(scope="module")
def scope() -> Scope:
    """The scope of a new user."""
    return somebody()
