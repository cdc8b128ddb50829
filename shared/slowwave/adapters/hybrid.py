"""Search by meaning and by words at once, for an agent that has such a search: each by its places in both orders."""

import asyncio
from dataclasses import dataclass, replace

from slowwave.core.recall.rank_fusion import orders_of, reciprocal
from slowwave.domain.recollection import Recollection
from slowwave.formatting.summary_lines import brief
from slowwave.memory import MemoryScope
from slowwave.memory.asynchronous import AsyncMemoryScope

LEAST = 50
"""The fewest memories in each order: a memory that one order ranks low may come first in the other."""


@dataclass(frozen=True, slots=True, repr=False)
class HybridMemorySearch:
    """A search in *memory* that an exact term, an acronym or a meaning finds alike."""

    memory: MemoryScope | AsyncMemoryScope

    def __repr__(self) -> str:
        return brief(self, repr(self.memory))

    async def search(self, query: str, limit: int = 10) -> list[Recollection]:
        """Return at most *limit* memories by their places in the order of meaning and in that of words, best first.

        Places are added up by reciprocal rank; the sum, up to 1, is the score, and the reason `ranks`.
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
    """Return the search by meaning and words in *memory*."""
    return HybridMemorySearch(memory)
