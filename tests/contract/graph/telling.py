"""The scopes whose graphs are tested, and a helper that tells them sentences."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope
from slowwave.settings import Settings


@pytest.fixture
def known(parts: wiring.Parts, scope: Scope) -> MemoryScope:
    """The memory of one user."""
    return MemoryScope(parts, scope)


@pytest.fixture
def encyclopaedia(settings: Settings, heavy_parts: dict[str, object], scope: Scope) -> Iterator[MemoryScope]:
    """A memory that reads encyclopaedic sentences by a pack of its own."""
    parts = wiring.connect(settings.model_copy(update={"rules": Path(__file__).parents[2] / "packs"}))
    vars(parts).update({name: part for name, part in heavy_parts.items() if name == "embedder"})
    wiring.register(parts)
    yield MemoryScope(parts, scope)
    parts.close()


def tell(known: MemoryScope, *said: str, session: str = "s1") -> None:
    """Say things, and let them be consolidated."""
    known.push_many([Episode(content=text, session=session, role="user") for text in said])
    assert {report.outcome for report in known.consolidate()} == {"ok"}
