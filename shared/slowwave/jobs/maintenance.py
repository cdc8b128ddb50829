"""The upkeep of the installation: partitions, checks, seals, intents that are missing, and pages about nights."""

import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from slowwave.domain.night_report import NightReport, night_of
from slowwave.domain.run import Run
from slowwave.ports import Plan
from slowwave.store.night_report import PostgresNightReports
from slowwave.store.operator.check import PostgresChecks
from slowwave.store.retention.partitions import DAYS_AHEAD, PostgresPartitions
from slowwave.store.runs.runs import PostgresRuns
from slowwave.store.schedule.schedule import PostgresSchedule
from slowwave.store.seals import PostgresSeals

_LOG = logging.getLogger(__name__)

BATCH = 50_000
"""Rows of bookkeeping deleted in one transaction."""
FOLDS = 100
"""How many ledgers of each tenant one run folds from the first delta on, to compare the facts."""
MOST_LINES = 50
"""How many findings of each invariant are logged one by one; the counts include all."""


@dataclass(frozen=True, slots=True)
class Partitions:
    """A `Job` in which every step is a transaction of its own; an interrupted run leaves the rest to the next one.

    The audit log and hourly counts are kept for *audit_kept*, firings and signs of life for *bookkeeping_kept*. None
    keeps them for ever, and so does a legal hold on any user.
    """

    partitions: PostgresPartitions
    audit_kept: timedelta | None
    bookkeeping_kept: timedelta | None = None
    days_ahead: int = DAYS_AHEAD

    def think(self, run: Run, _store: PostgresRuns) -> Plan:
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


@dataclass(frozen=True, slots=True)
class Check:
    """A `Job` whose findings go to the log, by ids only, and to the run's counts."""

    store: PostgresChecks

    def think(self, _run: Run, _store: PostgresRuns) -> Plan:
        """Return how often each invariant is violated, and the total."""
        counts: Counter[str] = Counter(findings=0)
        for finding in self.store.findings(folds=FOLDS):
            counts["findings"] += 1
            counts[finding.invariant] += 1
            if counts[finding.invariant] <= MOST_LINES:
                _LOG.error("%s; %s", finding, finding.remedy)
        return Plan(counts=counts)

    def witness(self, _run: Run) -> bool:
        """Return True: no episode is read, so none can be to blame."""
        return True


@dataclass(frozen=True, slots=True)
class Seal:
    """A `Job` that seals every ledger of the installation."""

    store: PostgresSeals

    def think(self, _run: Run, _store: PostgresRuns) -> Plan:
        """Return how many ledgers and deltas were sealed."""
        ledgers, deltas = self.store.seal()
        return Plan(counts={"ledgers": ledgers, "deltas": deltas})

    def witness(self, _run: Run) -> bool:
        """Return True: no episode is read, so none can be to blame."""
        return True


@dataclass(frozen=True, slots=True)
class Reconcile:
    """A `Job` that looks at every scope: once an hour is often enough."""

    store: PostgresSchedule

    def think(self, run: Run, _store: PostgresRuns) -> Plan:
        """Return how much work without an intent was found."""
        found = self.store.orphans(by=run.owner)
        if found:
            _LOG.error("%d scopes had episodes without an intent; please report this", len(found))
        return Plan(counts={"orphans": len(found)})

    def witness(self, _run: Run) -> bool:
        """Return True: no episode is read, so none can be to blame."""
        return True


@dataclass(frozen=True, slots=True)
class Report:
    """A `Job` that reports on the night that is ending, and on the night before. An existing page is replaced.

    *write* stores one page; None if no pages are wanted.
    """

    nights: PostgresNightReports
    write: Callable[[NightReport], object] | None

    def think(self, _run: Run, _store: PostgresRuns) -> Plan:
        """Return how many pages were written. Raises `Incorrect` if they cannot be written."""
        if self.write is None:
            return Plan(counts={"pages": 0})
        last = night_of(self.nights.now())
        pages = 0
        for tenant in self.nights.tenants():
            for night in (last - timedelta(days=1), last):
                self.write(self.nights.night(tenant, night))
                pages += 1
        return Plan(counts={"pages": pages})

    def witness(self, _run: Run) -> bool:
        """Return True: no episode is read, so none can be to blame."""
        return True
