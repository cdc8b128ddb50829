"""A question that names an alias: by the names that the graph knows it finds what was said under another."""

import pytest

from slowwave import wiring
from slowwave.domain.recollection import Recollections
from slowwave.memory import Memory, MemoryScope
from slowwave.settings import Settings

SAID = "Robert Miller will not go near wasps."
AFRAID = [
    f"{who} is afraid of {what}."
    for who in ("Anna", "Karl", "Lena", "Otto", "Ruth")
    for what in ("bees", "thunder", "the dark", "deep water", "heights", "spiders", "dogs", "needles")
]


@pytest.fixture
def alice(parts: wiring.Parts) -> MemoryScope:
    """Somebody who spoke of Robert Miller once, and of the fears of others forty times."""
    memory = Memory(parts)
    scope = memory.scope("alice", agent="concierge")
    scope.graph.store_fact("Robert Miller", "name", "Bob")
    for number, said in enumerate([SAID, *AFRAID]):
        scope.push(said, key=f"e{number}", session=f"s{number}")
    memory.drain()
    return scope


def asked(alice: MemoryScope, settings: Settings, heavy_parts: dict[str, object], **told: str) -> Recollections:
    """Return what answers in a process with these settings."""
    parts = wiring.connect(settings.model_copy(update=told))
    vars(parts).update(heavy_parts)
    with Memory(parts) as memory:
        return memory.scope("alice", agent="concierge").recall("What is Bob afraid of?", kinds=["episode"], limit=10)


def test_expansion_finds_a_memory_under_another_name(
    alice: MemoryScope, settings: Settings, heavy_parts: dict[str, object]
) -> None:
    plain = asked(alice, settings, heavy_parts)
    expanded = asked(alice, settings, heavy_parts, restate="expansion")

    assert SAID not in [one.text for one in plain]
    assert len(plain) == len(expanded) == 10
    assert SAID in [one.text for one in expanded]
    assert [one.reasons.get("expansion") for one in (expanded[0], plain[0])] == [1.0, None]
