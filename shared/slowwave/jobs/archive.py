"""Retention: archive conversations that nobody used for a long time, and expire memories after their retention time.

A run works on one slice (a sixteenth of a tenant's scopes), one batch per transaction. The run's lease guards each
transaction. Finished work is no longer due, so the next run continues where an interrupted run ended. First,
conversations are archived. Then facts are dropped, because a fact protects its entity and the conversations that the
fact cites. Last, unprotected conversations and entities are removed. `core/retention_periods.py` computes when each
memory is due.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

from slowwave.domain.run import Run
from slowwave.jobs.run import JobWithoutCases
from slowwave.ports import Plan
from slowwave.store.retention.archive import PostgresArchive
from slowwave.store.retention.expired import FIRST, Batch, Cursor
from slowwave.store.runs.runs import PostgresRuns


@dataclass(frozen=True, slots=True)
class Archive(JobWithoutCases):
    """A `Job` for one slice of a tenant. The job can be repeated, and can be stopped at any time."""

    archives: PostgresArchive

    def think(self, run: Run, _store: PostgresRuns) -> Plan:
        """Return the counts: conversations `archived` and expired, facts `dropped`, scopes `left`, and entities
        tombstoned.

        A scope is left for a later run while a worker holds the scope.
        """
        counts: Counter[str] = Counter()
        while archived := self.archives.archive(run):
            counts["archived"] += archived
        counts += _all(self._drop, run)
        counts += _all(self.archives.expire, run)
        counts += _all(self.archives.tombstone, run)
        return Plan(counts=counts)

    def _drop(self, run: Run, after: Cursor) -> Batch:
        counts, expired = Counter[str](), self.archives.expired(run, after)
        for scope, facts in groupby(expired.facts, key=lambda pair: pair[0]):
            dropped = self.archives.drop(run, scope, [fact for _, fact in facts])
            counts += Counter(dropped=dropped or 0, left=dropped is None)
        return Batch(counts, expired.last)


def _all(step: Callable[[Run, Cursor], Batch], run: Run) -> Counter[str]:
    counts: Counter[str] = Counter()
    after: Cursor | None = FIRST
    while after is not None:
        batch = step(run, after)
        counts += batch.counts
        after = batch.last
    return counts
