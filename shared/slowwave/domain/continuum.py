"""An entry of tiered memory, as somebody stored it and as it stands now."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slowwave.brief import brief


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """An entry of tiered memory: its content, its *tier*, and its importance when it was written, in [0, 1].

    *similarity* is to the question it was retrieved by; None where there was none.
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
