"""The fixtures of the harness for the run protocol, and of a memory that stores as much as it can."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from pydantic import SecretStr

from slowwave import wiring
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.memory import Memory
from slowwave.settings import Settings
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


@pytest.fixture
def talkative(settings: Settings, statement_parts: dict[str, object], cache_url: str) -> Iterator[Memory]:
    """A memory with a cache that reads statements; its audit log stores words, and its cache the turns."""
    chosen = {"cache_url": SecretStr(cache_url), "audit": "verbose", "statements": True}
    parts = wiring.connect(settings.model_copy(update=chosen))
    vars(parts).update(statement_parts)
    wiring.register(parts)
    with Memory(parts) as memory:
        yield memory
