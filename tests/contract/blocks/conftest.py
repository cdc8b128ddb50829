"""Small scopes have blocks in these tests."""

import pytest

from slowwave.store.blocks import packing


@pytest.fixture(autouse=True)
def packed_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let scopes be packed from their first block on."""
    monkeypatch.setattr(packing, "PACKED_FROM", 1)
