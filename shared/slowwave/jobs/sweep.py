"""The sweep: move the memories that are due on their ladder, and evict from rungs over their capacity.

A memory is due when it could fall, and when it has just come to a rung with a capacity. One rung a run: a memory that
this run has moved stays until the next. Memories to be evicted are summarised first, where the ladder asks for that, in
one belief that names them all; they themselves stay, one rung down, and can be found as before.
"""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from slowwave.core.summaries.overview import Victim, text_of
from slowwave.domain.run import Run
from slowwave.errors import Conflict, Fenced
from slowwave.ports import Embedder, Plan, RunStore, Vectors

Cursor = tuple[datetime, uuid.UUID, uuid.UUID]
"""The cursor of a sweep, in the order of due memories: when it is due, its scope, its id."""

Rung = tuple[uuid.UUID, str]
"""A tier of a scope."""

TRIES = 3
"""Tries to choose the memories to evict, when one of them was used meanwhile; then it waits for the next run."""


@dataclass(frozen=True, slots=True)
class Swept:
    """The result of one batch: how many memories were *looked* at, how many went which way, which rungs may be full.

    *full* are scopes and tiers, each with a memory that stays due until its rung is within capacity, so that a run
    that is cut off leaves it to the next one; *last* is where the batch ended, None when it was the last one.
    """

    looked: int
    moves: Mapping[str, int]
    full: Mapping[Rung, uuid.UUID]
    last: Cursor | None


@dataclass(frozen=True, slots=True)
class Overflow:
    """The memories to evict from a rung of a scope, and whether they are summarised first."""

    scope: uuid.UUID
    tier: str
    victims: Sequence[uuid.UUID]
    summed_up: Sequence[Victim] = ()


class SweepStore(Protocol):
    """The ladders as the database keeps them. Every method is one transaction behind the run's lease."""

    def now(self, run: Run) -> datetime:
        """Return the time as of which the whole run looks."""

    def sweep(self, run: Run, after: Cursor | None, *, now: datetime) -> Swept:
        """Move the next memories that are due at *now* and whose tier changes."""

    def overflow(self, run: Run, scope: uuid.UUID, tier: str, *, now: datetime) -> Overflow | None:
        """Return the memories over the capacity of a rung, or None: it is not exceeded."""

    def evict(self, run: Run, overflow: Overflow, vector: Vectors | None, *, now: datetime) -> bool:
        """Summarise the evicted memories if the rung asks for it, and move them one tier down.

        Returns False while a worker holds the scope.

        Raises `Conflict` when one of them has moved or was used since.
        """

    def mark_swept(self, run: Run, rungs: Iterable[tuple[Rung, uuid.UUID]], *, now: datetime) -> None:
        """Clear `sweep_due` of memories that had triggered an overflow which is resolved by now."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """A `Job` that works through a slice of a tenant. Safe to repeat and to be killed: what is done is due no more."""

    ladders: SweepStore
    embedder: Embedder

    def think(self, run: Run, store: RunStore) -> Plan:  # noqa: ARG002  # the port is enough
        """Move the memories that are due, then evict from the rungs over their capacity.

        Counts how many memories were looked at, and how many were `raised`, `lowered`, `archived` and `evicted`; how
        many overviews were written, and how many full rungs were left because somebody works there.
        """
        now, after, counts = self.ladders.now(run), None, Counter[str]()
        full: list[tuple[Rung, uuid.UUID]] = []
        while True:
            swept = self.ladders.sweep(run, after, now=now)
            counts += Counter({"looked": swept.looked, **swept.moves})
            full += swept.full.items()
            after = swept.last
            if after is None:
                break
        left: set[Rung] = set()
        for rung in dict(full):
            made = self._evict(run, *rung, now)
            left |= {rung} if made["left"] else set()
            counts += made
        self.ladders.mark_swept(run, [pair for pair in full if pair[0] not in left], now=now)
        return Plan(counts=counts)

    def _evict(self, run: Run, scope: uuid.UUID, tier: str, now: datetime) -> Counter[str]:
        for _ in range(TRIES):
            overflow = self.ladders.overflow(run, scope, tier, now=now)
            if overflow is None:
                return Counter()
            vector = self._vector(overflow.summed_up)
            try:
                if not self.ladders.evict(run, overflow, vector, now=now):
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
        """Return whether this worker can do such work: it needs nothing but the database."""
        return True
