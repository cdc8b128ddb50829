"""A second installation, empty, on the same server."""

from collections.abc import Iterator

import pytest

from slowwave.embedded_services import PostgresServer
from slowwave.memory import Memory
from slowwave.wiring import Parts
from tests.databases import copied, opened


@pytest.fixture
def elsewhere(postgres_server: PostgresServer, template: str, heavy_parts: dict[str, object]) -> Iterator[Parts]:
    """The parts of a process on an empty installation."""
    with (
        copied(postgres_server, template, "elsewhere") as database,
        opened(postgres_server, database, heavy_parts) as parts,
    ):
        yield parts


@pytest.fixture
def there(elsewhere: Parts) -> Memory:
    """The memory of another, empty installation."""
    return Memory(elsewhere)
