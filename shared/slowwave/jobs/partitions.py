"""Create partitions ahead of time, move rows out of default partitions, and drop expired partitions."""

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from slowwave.domain.partition import DefaultRows, Partition
from slowwave.domain.run import Run
from slowwave.ports import Plan, RunStore

_LOG = logging.getLogger(__name__)

BATCH = 50_000
"""Rows of bookkeeping deleted in one transaction."""
DAYS_AHEAD = 30
"""How many days of partitions exist ahead. If the job does not run for that long, rows go into default partitions."""


class PartitionStore(Protocol):
    """The partitions, as the database keeps them. Each change is one short transaction guarded by the run's fence.

    Raises `Unavailable` when the database is unreachable, or when others keep a table locked for too long.
    """

    def missing(self, *, days_ahead: int) -> list[Partition]:
        """Return the partitions to create, for the coming days and for rows in a default partition."""

    def in_default(self) -> list[DefaultRows]:
        """Return how many rows are in default partitions, one entry for each table that has any."""

    def make(self, run: Run, partition: Partition) -> int:
        """Create a partition; return how many rows moved there from the default partition."""

    def held(self) -> bool:
        """Return whether a legal hold of any tenant is in force."""

    def drop_old_audit(self, run: Run, *, retention_days: int) -> str | None:
        """Drop the oldest day of the audit log that ended *retention_days* ago; return its name, or None."""

    def drop_bookkeeping(self, run: Run, *, bookkeeping_days: int, counts_days: int, most: int) -> int:
        """Delete older firings, signs of life and counts, *most* rows per table; return how many rows were deleted."""

    def expired(self) -> list[Partition]:
        """Return the past months of episodes that hold only tombstoned conversations."""

    def drop_expired(self, run: Run, month: Partition) -> bool:
        """Drop a month that `expired` returned; return False if it was dropped before, or holds other rows by now."""


@dataclass(frozen=True, slots=True)
class Partitions:
    """A `Job` in which every step is a transaction of its own; an interrupted run leaves the rest to the next one.

    The audit log and hourly counts are kept for *audit_kept*, firings and signs of life for *bookkeeping_kept*. None
    keeps them for ever, and so does a legal hold on any user.
    """

    partitions: PartitionStore
    audit_kept: timedelta | None
    bookkeeping_kept: timedelta | None = None
    days_ahead: int = DAYS_AHEAD

    def think(self, run: Run, _store: RunStore) -> Plan:
        """Return how many partitions were created and dropped, and how many rows left default partitions or stayed."""
        for each in self.partitions.in_default():
            _LOG.warning("moved %d rows of %s that were written before their partition existed", each.rows, each.parent)

        missing = self.partitions.missing(days_ahead=self.days_ahead)
        moved = sum(self.partitions.make(run, partition) for partition in missing)
        dropped = self._drop_old_audit(run) + self._drop_expired_months(run)

        left = sum(each.rows for each in self.partitions.in_default())
        if left:
            _LOG.error("%d rows are still in a default partition; the next run moves them", left)
        counts = {"made": len(missing), "moved": moved, "dropped": dropped, "in_default": left}
        return Plan(counts={**counts, "pruned": self._drop_bookkeeping(run)})

    def witness(self, _run: Run) -> bool:
        """Return True: partitions need no episode, so none can be to blame."""
        return True

    def _drop_old_audit(self, run: Run) -> int:
        if self.audit_kept is None or self.partitions.held():
            return 0
        dropped = 0
        while name := self.partitions.drop_old_audit(run, retention_days=self.audit_kept.days):
            _LOG.info("%s is dropped: it ended more than %d days ago", name, self.audit_kept.days)
            dropped += 1
        return dropped

    def _drop_bookkeeping(self, run: Run) -> int:
        if self.audit_kept is None or self.bookkeeping_kept is None or self.partitions.held():
            return 0
        fields = {"bookkeeping_days": self.bookkeeping_kept.days, "counts_days": self.audit_kept.days}
        dropped = 0
        while gone := self.partitions.drop_bookkeeping(run, **fields, most=BATCH):
            dropped += gone
        return dropped

    def _drop_expired_months(self, run: Run) -> int:
        dropped = [month.name for month in self.partitions.expired() if self.partitions.drop_expired(run, month)]
        for name in dropped:
            _LOG.info("%s is dropped: all of its conversations have expired", name)
        return len(dropped)
