"""Small scopes have blocks in these tests, and may seem too large to be cached."""

from collections.abc import Iterator

import pytest

from slowwave.core.blocks import codes
from slowwave.settings import Settings
from slowwave.store.blocks import packing
from slowwave.store.blocks.block_cache import BLOCK_CACHE
from slowwave.store.recall import access_path
from slowwave.store.recall.cached_facts import FACT_CACHE


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Settings by which few runs read a large scope, in one process."""
    return settings.model_copy(update={"window": 600, "read_ahead": False})


@pytest.fixture(autouse=True)
def packed_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let scopes be packed from their first block on."""
    monkeypatch.setattr(packing, "PACKED_FROM", 1)


@pytest.fixture
def near_sighted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let codes select only a few episodes, as in a scope with too many vectors to cache."""
    monkeypatch.setattr(access_path, "LEAST", 5)
    monkeypatch.setattr(codes, "EXACT_BYTES", 0)
    BLOCK_CACHE.forget()
    FACT_CACHE.forget()
    yield
    BLOCK_CACHE.forget()
    FACT_CACHE.forget()
