"""The stream of what an agent lived through, in the order of time (S3.11)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from slowwave import wiring
from slowwave.domain.episode import Item
from slowwave.domain.receipt import Receipt
from slowwave.domain.recollection import Recollection

if TYPE_CHECKING:
    from slowwave.memory.scope import MemoryScope


@dataclass(frozen=True, slots=True)
class MemoryStream:
    """The episodes of one agent with one user in one channel."""

    of: "MemoryScope"

    def record(self, event: Item, **fields: Any) -> Receipt:
        """Store what happened; see `MemoryScope.push`."""
        return self.of.push(event, **fields)

    def recall(self, query: str, limit: int = 10) -> list[Recollection]:
        """Return the *limit* episodes that answer *query* best, in the order they happened."""
        return wiring.recall_stream(self.of.memory._parts, self.of.scope, query, limit=limit)

    def summarize(self, time_range: Sequence[datetime]) -> str:
        """Return the sentences that say most of what was said from one time up to another, a line each.

        Raises `Incorrect` for what is no pair of times with a zone, the earlier first.
        """
        return wiring.summarise_stream(self.of.memory._parts, self.of.scope, time_range)
