"""Hybrid search: memories ranked by meaning and by words, combined by reciprocal rank fusion."""

import asyncio
from dataclasses import dataclass, replace

from slowwave.core.recall.ranking import orders_of, reciprocal
from slowwave.domain.recollection import Recollection
from slowwave.formatting import brief
from slowwave.memory import MemoryScope
from slowwave.memory.asynchronous import AsyncMemoryScope

LEAST = 50
"""The least number of memories that each ranking has. A memory may be last in one ranking and first in the other."""


@dataclass(frozen=True, slots=True, repr=False)
class HybridMemorySearch:
    """A search in *memory* that finds exact terms and acronyms as well as similar meanings."""

    memory: MemoryScope | AsyncMemoryScope

    def __repr__(self) -> str:
        return brief(self, repr(self.memory))

    async def search(self, query: str, limit: int = 10) -> list[Recollection]:
        """Return at most *limit* memories, best first. The ranks by meaning and by words are combined.

        The score, up to 1, is the normalised sum of the reciprocal ranks. `reasons["ranks"]` has the same number.
        """
        most = max(2 * limit, LEAST)
        if isinstance(self.memory, AsyncMemoryScope):
            found = await self.memory.recall(query, limit=most)
        else:
            found = await asyncio.to_thread(self.memory.recall, query, limit=most)
        scores = reciprocal(orders_of({one.id: one.reasons for one in found}))
        fused = [
            replace(one, score=scores[one.id], reasons={**one.reasons, "ranks": scores[one.id]})
            for one in found
            if one.id in scores
        ]
        return sorted(fused, key=lambda one: -one.score)[:limit]


def get_hybrid_memory_search(memory: MemoryScope | AsyncMemoryScope) -> HybridMemorySearch:
    """Return a hybrid search in *memory*."""
    return HybridMemorySearch(memory)
