"""An entry of tiered memory, with its content and its current state."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slowwave.formatting import brief


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """An entry of tiered memory: its content, its *tier*, and its importance in [0, 1] at the time of writing.

    *similarity* is the similarity to the query that retrieved the entry, or None without a query.
    """

    id: uuid.UUID
    content: str
    tier: str
    importance: float
    source: str
    topic: str
    metadata: Mapping[str, Any]
    similarity: float | None = None

    def __repr__(self) -> str:
        return brief(self, self.content, f"tier {self.tier}", f"importance {self.importance:.2f}", id=self.id)
