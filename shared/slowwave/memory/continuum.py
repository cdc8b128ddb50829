"""Memory by timescale and importance (S3.8, S3.9, S3.36 to S3.38): entries that rise and fall by themselves."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slowwave import wiring
from slowwave.domain.continuum import MemoryEntry

if TYPE_CHECKING:
    from slowwave.memory.scope import MemoryScope

CONTEXT = ("slow", "medium")
"""The tiers a context begins with (S3.36)."""


@dataclass(frozen=True, slots=True)
class ContinuumMemory:
    """The entries of one agent with one user in one channel, on the tiers of the ladder `aragora_hope`.

    With another ladder its own tiers can be named. An entry is an episode: nothing of it is lost when it falls.
    """

    of: "MemoryScope"

    def store(
        self,
        content: str,
        tier: str = "slow",
        importance: float = 0.5,
        source: str = "",
        topic: str = "",
        metadata: Mapping[str, Any] | None = None,
        *,
        key: str | None = None,
    ) -> MemoryEntry:
        """Store *content* on *tier*; it rises and falls from there. With a *key*, a repeat changes nothing.

        Raises `Incorrect` for a tier that is none and an importance outside 0 to 1.
        """
        said = {**(metadata or {}), "source": source, "topic": topic}
        return wiring.store_entry(
            self.of.memory._parts, self.of.scope, content, tier=tier, importance=importance, said=said, key=key
        )

    def retrieve(
        self, query: str, tiers: Sequence[str] | None = None, limit: int = 5, min_similarity: float = 0.3
    ) -> list[MemoryEntry]:
        """Return the *limit* entries most like *query*, of all tiers or some, none below *min_similarity* (a cosine).

        Each counts as accessed, and its surprise is updated: what was more useful than alike.
        """
        return wiring.retrieve_entries(
            self.of.memory._parts, self.of.scope, query, tiers=tiers, limit=limit, min_similarity=min_similarity
        )

    def context(self, limit: int = 20, tiers: Sequence[str] = CONTEXT) -> list[MemoryEntry]:
        """Return what an agent begins with: what the slower tiers hold, the most important first."""
        return wiring.held_entries(self.of.memory._parts, self.of.scope, tiers, limit=limit)

    def outcome(
        self, content: str, *, success: bool, references: Sequence[MemoryEntry | uuid.UUID] = (), topic: str = ""
    ) -> MemoryEntry:
        """Store how something ended, credit the entries it referred to, and ask for consolidation."""
        parts = self.of.memory._parts
        stored = self.store(content, source="outcome", topic=topic, metadata={"success": success})
        ids = [one.id if isinstance(one, MemoryEntry) else one for one in references]
        wiring.credit_entries(parts, self.of.scope, ids, useful=1.0 if success else 0.0)
        parts.fire(self.of.scope.id)
        return stored
