"""The sweep: a job that moves due memories between tiers, and evicts memories from tiers over capacity.

A memory is due when it may have to move down, or when it has entered a tier with a capacity. A memory moves at most one
tier per run. Evicted memories move one tier down, and recall still finds them. If the policy demands summaries, an
eviction first writes one belief that names all memories to evict.
"""

import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from slowwave.core.summaries.eviction_summary import Victim, text_of
from slowwave.domain.run import Run
from slowwave.errors import Conflict, Fenced
from slowwave.jobs.run import JobWithoutCases
from slowwave.ports import Embedder, Plan, Vectors
from slowwave.store.runs.runs import PostgresRuns
from slowwave.store.tiers.sweep import PostgresSweep, ScopeTier

TRIES = 3
"""The most attempts of a run to choose memories to evict, if chosen memories are used meanwhile.

After these attempts, the next run evicts.
"""


@dataclass(frozen=True, slots=True)
class Sweep(JobWithoutCases):
    """A `Job` that sweeps one slice (a sixteenth of a tenant's scopes).

    The job can be repeated and killed, because finished work is no longer due.
    """

    store: PostgresSweep
    embedder: Embedder

    def think(self, run: Run, store: PostgresRuns) -> Plan:  # noqa: ARG002  # its own store is enough
        """Move the due memories, then evict from the tiers over capacity.

        The counts are: memories that were checked, `raised`, `lowered`, `archived` or `evicted`; overviews; and full
        tiers that were left out because a worker holds the scope's lease.
        """
        now, after, counts = self.store.now(run), None, Counter[str]()
        full: list[tuple[ScopeTier, uuid.UUID]] = []
        while True:
            swept = self.store.sweep(run, after, now=now)
            counts += Counter({"looked": swept.looked, **swept.moves})
            full += swept.full.items()
            after = swept.last
            if after is None:
                break
        left: set[ScopeTier] = set()
        for scope_tier in dict(full):
            made = self._evict(run, *scope_tier, now)
            left |= {scope_tier} if made["left"] else set()
            counts += made
        self.store.mark_swept(run, [pair for pair in full if pair[0] not in left], now=now)
        return Plan(counts=counts)

    def _evict(self, run: Run, scope: uuid.UUID, tier: str, now: datetime) -> Counter[str]:
        for _ in range(TRIES):
            overflow = self.store.overflow(run, scope, tier, now=now)
            if overflow is None:
                return Counter()
            vector = self._vector(overflow.summed_up)
            try:
                if not self.store.evict(run, overflow, vector, now=now):
                    break
            except Fenced:
                raise
            except Conflict:
                continue
            return Counter(evicted=len(overflow.victims), summarised=int(bool(overflow.summed_up)))
        return Counter(left=1)

    def _vector(self, victims: Sequence[Victim]) -> Vectors | None:
        if not victims:
            return None
        vector = self.embedder.embed([text_of(victims)])[0]
        return vector if vector.any() else None
