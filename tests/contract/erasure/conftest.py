"""A memory that stores as much as it can: questions and payloads in the audit log, and turns in a cache."""

from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from slowwave import wiring
from slowwave.memory import Memory
from slowwave.settings import Settings


@pytest.fixture
def talkative(settings: Settings, heavy_parts: dict[str, object], cache_url: str) -> Iterator[Memory]:
    """A memory with a cache that reads statements; its audit log stores words."""
    chosen = {"cache_url": SecretStr(cache_url), "audit": "verbose", "statements": True}
    parts = wiring.connect(settings.model_copy(update=chosen))
    vars(parts)["embedder"] = heavy_parts["embedder"]
    wiring.register(parts)
    with Memory(parts) as memory:
        yield memory
