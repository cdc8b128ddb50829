"""Fixtures with the usual names, under which statements are read beside typed facts."""

import pytest

from slowwave.settings import Settings


@pytest.fixture(scope="session")
def heavy_parts(statement_parts: dict[str, object]) -> dict[str, object]:
    """Parts that load slowly and never change: the shipped packs and the embedder."""
    return statement_parts


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Settings that reach the test's database, with short leases."""
    return settings.model_copy(update={"statements": True})
