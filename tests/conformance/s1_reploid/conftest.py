"""Fixtures of the tests of Reploid: an agent with a cache."""

import uuid

import pytest

from slowwave.memory import Memory, MemoryScope


@pytest.fixture
def alice(mindful: Memory) -> MemoryScope:
    """The scope of a new user."""
    return mindful.scope(f"alice-{uuid.uuid4().hex[:8]}", agent="concierge")
