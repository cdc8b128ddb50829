"""The fixture of the harness for the run protocol."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from slowwave import wiring
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.memory import Memory
from tests.contract.harness import Harness


@pytest.fixture
def harness(
    parts: wiring.Parts, owner_url: str, postgres_server: PostgresServer, database_name: str
) -> Iterator[Harness]:
    """The run protocol on the test's database, with a lease of two seconds on a clock that is moved."""
    with closing(Harness(parts, owner_url, postgres_server.url("postgres", database_name))) as harness:
        harness.later(0)
        yield harness


@pytest.fixture
def memory(harness: Harness) -> Memory:
    """The memories of the harness."""
    return Memory(harness.parts)
