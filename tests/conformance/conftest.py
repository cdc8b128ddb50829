"""What a document says of jobs and memories is walked with the settings as they come: statements beside typed facts."""

import pytest

from slowwave import wiring
from slowwave.settings import Settings
from tests.contract.conftest import harness

__all__ = ["harness"]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Settings that reach the test's database, with short leases."""
    return settings.model_copy(update={"statements": Settings.model_fields["statements"].default})


@pytest.fixture(scope="session")
def heavy_parts() -> dict[str, object]:
    """What takes long to load and never changes: the shipped packs and the embedder."""
    parts = wiring.connect(Settings.load(url="postgresql://nobody@/nowhere"))
    return {"packs": parts.packs, "embedder": parts.embedder}
