"""The sweep: move due memories between tiers, and evict memories from tiers over capacity.

A memory is due when its tier may be too high, and when it has entered a tier with a capacity. A memory moves one tier
per run at most. If the policy asks for it, memories are summarised before they are evicted, in one belief that names
them all. Evicted memories move one tier down, and recall finds them as before.
"""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from slowwave.core.summaries.eviction_summary import Victim, text_of
from slowwave.domain.run import Run
from slowwave.errors import Conflict, Fenced
from slowwave.ports import Embedder, Plan, RunStore, Vectors

Cursor = tuple[datetime, uuid.UUID, uuid.UUID]
"""The cursor of a sweep, in the order of due memories: due time, scope, id."""

ScopeTier = tuple[uuid.UUID, str]
"""A tier of a scope."""

TRIES = 3
"""How often a run chooses memories to evict, if a chosen memory was used meanwhile; then the next run evicts."""


@dataclass(frozen=True, slots=True)
class Swept:
    """The result of one batch: memories *looked* at, moves in each direction, and tiers that may be over capacity.

    *full* are scopes and tiers, each with a memory that stays due until the tier is within capacity, so that the next
    run continues an interrupted one. *last* is the cursor at the end of the batch, None after the last batch.
    """

    looked: int
    moves: Mapping[str, int]
    full: Mapping[ScopeTier, uuid.UUID]
    last: Cursor | None


@dataclass(frozen=True, slots=True)
class Overflow:
    """The memories to evict from a tier of a scope, and whether they are summarised first."""

    scope: uuid.UUID
    tier: str
    victims: Sequence[uuid.UUID]
    summed_up: Sequence[Victim] = ()


class SweepStore(Protocol):
    """The tiers of memories, as the database keeps them. Every method is one transaction guarded by the run's lease."""

    def now(self, run: Run) -> datetime:
        """Return the time that the whole sweep uses as now."""

    def sweep(self, run: Run, after: Cursor | None, *, now: datetime) -> Swept:
        """Evaluate the next memories due at *now*, and move those whose tier changes."""

    def overflow(self, run: Run, scope: uuid.UUID, tier: str, *, now: datetime) -> Overflow | None:
        """Return the memories over the capacity of a tier, or None if it is within capacity."""

    def evict(self, run: Run, overflow: Overflow, vector: Vectors | None, *, now: datetime) -> bool:
        """Summarise the evicted memories if the policy asks for it, and move them one tier down.

        Returns False while a worker holds the scope.

        Raises `Conflict` when a memory to evict has moved or was used since.
        """

    def mark_swept(self, run: Run, full: Iterable[tuple[ScopeTier, uuid.UUID]], *, now: datetime) -> None:
        """Clear `sweep_due` of the memories that stayed due for an overflow, which is resolved now."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """A `Job` that sweeps a slice of a tenant. Can be repeated and killed: finished work is no longer due."""

    store: SweepStore
    embedder: Embedder

    def think(self, run: Run, store: RunStore) -> Plan:  # noqa: ARG002  # the port is enough
        """Move the due memories, then evict from the tiers over capacity.

        The counts are: memories looked at, `raised`, `lowered`, `archived` and `evicted`; overviews written; and full
        tiers left out because a worker holds the scope's lease.
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

    def witness(self, run: Run) -> bool:  # noqa: ARG002  # a job answers for every run alike
        """Return True: a sweep needs nothing but the database."""
        return True
