"""Memories that encrypt words, and memories that do not."""

from collections.abc import Iterator
from typing import Protocol

import pytest
from pydantic import SecretStr

from slowwave import wiring
from slowwave.embedded_services import PostgresServer
from slowwave.memory import Memory
from slowwave.settings import Settings
from slowwave.store import reencryption
from slowwave.store.encryption import tenant_keys
from slowwave.store.encryption.cipher import new_master_key
from tests.databases import Lent


class Opened(Protocol):
    """Opens a memory with the master keys *masters*, or without encryption."""

    def __call__(self, masters: str | None, *, url: str | None = None, tenant: str = "default") -> Memory: ...


@pytest.fixture(scope="session")
def master() -> str:
    """A master key."""
    return new_master_key()


@pytest.fixture(autouse=True)
def _used_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let processes use a new data key at once, and look for data keys in each transaction."""
    for name in ("WAIT_SECONDS", "REFRESH_SECONDS", "CHECK_SECONDS"):  # and no transaction is waited for
        monkeypatch.setattr(tenant_keys, name, 0.0)
    monkeypatch.setattr(reencryption, "GRACE_SECONDS", 0.0)


@pytest.fixture
def opened(settings: Settings, heavy_parts: dict[str, object], cache_url: str) -> Iterator[Opened]:
    """A function that opens a memory. The memory reads statements, and its audit log stores words."""
    memories = []

    def connect(masters: str | None, *, url: str | None = None, tenant: str = "default") -> Memory:
        changed: dict[str, object] = {
            "cache_url": SecretStr(cache_url), "audit": "verbose", "statements": True, "tenant": tenant,
            "encryption_keys": None if masters is None else SecretStr(masters),
        }  # fmt: skip
        parts = wiring.connect(settings.model_copy(update=changed | ({"url": SecretStr(url)} if url else {})))
        vars(parts)["embedder"] = heavy_parts["embedder"]
        wiring.register(parts)
        memories.append(Memory(parts))
        return memories[-1]

    yield connect
    for memory in memories:
        memory.close()


@pytest.fixture
def other_url(postgres_server: PostgresServer, template: str) -> Iterator[str]:
    """The address of a second database."""
    lent = Lent(postgres_server, template)
    yield postgres_server.url(database=lent.name)
    lent.close()
