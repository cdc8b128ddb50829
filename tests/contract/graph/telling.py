"""A scope whose graph is tested, and a helper that tells it sentences."""

import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope


@pytest.fixture
def known(parts: wiring.Parts, scope: Scope) -> MemoryScope:
    """The memory of one user."""
    return MemoryScope(parts, scope)


def tell(known: MemoryScope, *said: str, session: str = "s1") -> None:
    """Say things, and let them be consolidated."""
    known.push_many([Episode(content=text, session=session, role="user") for text in said])
    assert {report.outcome for report in known.consolidate()} == {"ok"}
