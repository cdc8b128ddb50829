"""Fixtures of the tests of Reploid: an agent with a cache."""

import uuid

import pytest

from slowwave.domain.episode import StoredEpisode
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.store.inbox import stored_episodes

KITCHEN = [
    "For the kitchen renovation, Marta brings the ladder over from Ghent.",
    "The kitchen renovation costs 300 euros more than planned, because of the wiring.",
    "We put the kitchen renovation off until Whit Monday.",
]
"""A matter told in three turns, of which two do not name what the third one answers."""


@pytest.fixture
def alice(mindful: Memory) -> MemoryScope:
    """The scope of a new user."""
    return mindful.scope(f"alice-{uuid.uuid4().hex[:8]}", agent="concierge")


def log(alice: MemoryScope) -> list[StoredEpisode]:
    """Return the stored episodes of a scope, in order."""
    with parts_of(alice).database.tenant(alice.scope.tenant) as connection:
        return stored_episodes.window(connection, alice.scope.id, 1, 1_000)
