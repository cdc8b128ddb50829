"""Retention: archive conversations nobody has touched for long, and expire memories whose retention has passed.

One slice of a tenant, a batch a transaction, each behind the run's lease: what is done is due no more, so that a run
that was cut off leaves the next one the rest. First conversations are archived, then facts are dropped, since a fact
holds on to what it is about and to the conversations it cites; then what nothing holds any more goes.
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
"""The cursor of the archive job in the list of what is due: its scope, and its session or id."""
FIRST: Cursor = (uuid.UUID(int=0), "")


@dataclass(frozen=True, slots=True)
class Batch:
    """The result of one batch. *last* is where it ended, None when nothing comes after it."""

    counts: Counter[str] = field(default_factory=Counter)
    last: Cursor | None = None


@dataclass(frozen=True, slots=True)
class Expired:
    """Facts whose retention has passed, each with its scope, and the cursor at which the list goes on."""

    facts: Sequence[tuple[uuid.UUID, uuid.UUID]]
    last: Cursor | None = None


class ArchiveStore(Protocol):
    """The memories whose retention is kept. Every method is one transaction behind the run's lease."""

    def archive(self, run: Run) -> int:
        """Archive the next conversations that nobody has touched for long enough; return how many; 0: that was all."""

    def expired(self, run: Run, after: Cursor) -> Expired:
        """Return the next facts whose retention has passed."""

    def drop(self, run: Run, scope: uuid.UUID, facts: Sequence[uuid.UUID]) -> int | None:
        """Withdraw *facts* of *scope*; return how many, None if a worker holds its lease."""

    def expire(self, run: Run, after: Cursor) -> Batch:
        """Tombstone the next archived conversations whose retention has passed and that no open fact cites."""

    def tombstone(self, run: Run, after: Cursor) -> Batch:
        """Tombstone the next entities that have faded, lain idle, and have no open fact about them."""


@dataclass(frozen=True, slots=True)
class Archive:
    """A `Job` for one slice of a tenant. Safe to repeat and to be killed."""

    archives: ArchiveStore

    def think(self, run: Run, _store: RunStore) -> Plan:
        """Return how many conversations were archived and expired, facts dropped or left, entities tombstoned."""
        counts: Counter[str] = Counter()
        while archived := self.archives.archive(run):
            counts["archived"] += archived
        counts += self._drop(run)
        counts += _all(self.archives.expire, run)
        counts += _all(self.archives.tombstone, run)
        return Plan(counts=counts)

    def witness(self, _run: Run) -> bool:
        """Return True: no episode is read, so none can be to blame."""
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
