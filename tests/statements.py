"""Fixtures with the usual names, for tests that also extract statements."""

import pytest

from slowwave.settings import Settings


@pytest.fixture(scope="session")
def heavy_parts(statement_parts: dict[str, object]) -> dict[str, object]:
    """Parts that load slowly and never change: the shipped packs and the embedder."""
    return statement_parts


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Settings with the address of the test's database and short leases."""
    return settings.model_copy(update={"statements": True})
