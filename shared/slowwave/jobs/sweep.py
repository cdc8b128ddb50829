"""Move what is due to move on its ladder, and make room where a rung holds too many.

A memory is looked at when it could go down, and when it has just come to a rung that holds only so many. One rung a
run: what this run has moved stays until the next. Who has to go is summed up first, where the ladder asks for that, in
one belief that names them all; they themselves stay, one rung down, and can be found as before.
"""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from slowwave.core.overview import Victim, text_of
from slowwave.domain.run import Run
from slowwave.errors import Conflict, Fenced
from slowwave.ports import Embedder, Plan, RunStore, Vectors

Cursor = tuple[datetime, uuid.UUID, uuid.UUID]
"""Where a memory stands in the list of what is due: when, its scope, its id."""

Rung = tuple[uuid.UUID, str]
"""A tier of a scope."""

TRIES = 3
"""How often it is decided anew who has to go, when one of them was used meanwhile; then it waits for the next run."""


@dataclass(frozen=True, slots=True)
class Swept:
    """What one batch came to: how many were *looked* at, how many went which way, which rungs may be full.

    *full* are scopes and tiers, each with a memory that stays due until room was made, so that whoever is cut off
    before that leaves it to the next run; *last* is where the batch ended, None when it was the last one.
    """

    looked: int
    moves: Mapping[str, int]
    full: Mapping[Rung, uuid.UUID]
    last: Cursor | None


@dataclass(frozen=True, slots=True)
class Overflow:
    """Who is too many on a rung of a scope, and whether they are summed up before they go."""

    scope: uuid.UUID
    tier: str
    victims: Sequence[uuid.UUID]
    summed_up: Sequence[Victim] = ()


class SweepStore(Protocol):
    """The ladders as the database keeps them. Every method is one transaction behind the run's lease."""

    def now(self, run: Run) -> datetime:
        """Return the time as of which the whole run looks."""

    def sweep(self, run: Run, after: Cursor | None, *, now: datetime) -> Swept:
        """Look at the next of what is due at *now*, and move what moves."""

    def overflow(self, run: Run, scope: uuid.UUID, tier: str, *, now: datetime) -> Overflow | None:
        """Return who is too many, or None: nobody is."""

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
        """Move what is due, then evict from the rungs that are too full.

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
