"""Retention: archive conversations that were long untouched, and expire memories past their retention.

A run works on one slice of a tenant, one batch per transaction, each guarded by the run's lease. Finished work is no
longer due, so an interrupted run leaves only the rest to the next run. First, conversations are archived. Then facts
are dropped, because a fact protects its entity and the conversations that it cites. Last, unprotected conversations and
entities are removed. `core/retention_periods.py` says when each is due.
"""

import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Protocol

from slowwave.domain.run import Run
from slowwave.ports import Plan, RunStore

Cursor = tuple[uuid.UUID, str]
"""The cursor of the archive job in the list of due items: a scope, and a session or id."""
FIRST: Cursor = (uuid.UUID(int=0), "")


@dataclass(frozen=True, slots=True)
class Batch:
    """The result of one batch. *last* is the cursor at its end, None if nothing comes after it."""

    counts: Counter[str] = field(default_factory=Counter)
    last: Cursor | None = None


@dataclass(frozen=True, slots=True)
class Expired:
    """Facts past their retention, each with its scope, and the cursor at which the list continues."""

    facts: Sequence[tuple[uuid.UUID, uuid.UUID]]
    last: Cursor | None = None


class ArchiveStore(Protocol):
    """The memories under retention. Every method is one transaction guarded by the run's lease."""

    def archive(self, run: Run) -> int:
        """Archive the next conversations that were long untouched; return their number, 0 if none are left."""

    def expired(self, run: Run, after: Cursor) -> Expired:
        """Return the next facts past their retention."""

    def drop(self, run: Run, scope: uuid.UUID, facts: Sequence[uuid.UUID]) -> int | None:
        """Withdraw *facts* of *scope*; return how many, None if a worker holds the scope's lease."""

    def expire(self, run: Run, after: Cursor) -> Batch:
        """Tombstone the next archived conversations that are past their retention and that no open fact cites."""

    def tombstone(self, run: Run, after: Cursor) -> Batch:
        """Tombstone the next entities that have faded, are long unused, and have no open fact about them."""


@dataclass(frozen=True, slots=True)
class Archive:
    """A `Job` for one slice of a tenant. It can be repeated, and killed at any time."""

    archives: ArchiveStore

    def think(self, run: Run, _store: RunStore) -> Plan:
        """Return the counts: conversations archived and expired, facts dropped or left, entities tombstoned."""
        counts: Counter[str] = Counter()
        while archived := self.archives.archive(run):
            counts["archived"] += archived
        counts += self._drop(run)
        counts += _all(self.archives.expire, run)
        counts += _all(self.archives.tombstone, run)
        return Plan(counts=counts)

    def witness(self, _run: Run) -> bool:
        """Return True: the job reads no episode, so no episode can be to blame."""
        return True

    def _drop(self, run: Run) -> Counter[str]:
        counts: Counter[str] = Counter()
        after: Cursor | None = FIRST
        while after is not None:
            expired = self.archives.expired(run, after)
            for scope, facts in groupby(expired.facts, key=lambda pair: pair[0]):
                dropped = self.archives.drop(run, scope, [fact for _, fact in facts])
                counts += Counter(dropped=dropped or 0, left=dropped is None)
            after = expired.last
        return counts


def _all(step: Callable[[Run, Cursor], Batch], run: Run) -> Counter[str]:
    counts: Counter[str] = Counter()
    after: Cursor | None = FIRST
    while after is not None:
        batch = step(run, after)
        counts += batch.counts
        after = batch.last
    return counts
