"""Maintenance of the installation: partitions, checks, seals, missing intents, and report pages about nights."""

import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from slowwave.domain.night_report import NightReport, night_of
from slowwave.domain.run import Run
from slowwave.jobs.run import JobWithoutCases
from slowwave.ports import Plan
from slowwave.store.night_report import PostgresNightReports
from slowwave.store.operator.check import PostgresChecks
from slowwave.store.retention.partitions import DAYS_AHEAD, PostgresPartitions
from slowwave.store.runs.runs import PostgresRuns
from slowwave.store.schedule.schedule import PostgresSchedule
from slowwave.store.seals import PostgresSeals

_LOG = logging.getLogger(__name__)

BATCH = 50_000
"""The maximum number of old rows of one table that one transaction deletes."""
FOLDS = 100
"""The ledgers per tenant that one run folds from the first delta on, to compare the result with the facts."""
MOST_LINES = 50
"""The maximum number of findings per invariant that are logged one by one. The counts include all findings."""


@dataclass(frozen=True, slots=True)
class Partitions(JobWithoutCases):
    """A `Job` that creates and drops partitions and old rows, each step in its own transaction.

    The next run continues where an interrupted run ended.

    The audit log, hourly counts and model calls are kept for *audit_retention*. Firings of schedules, heartbeats of
    processes, and runs that read no episodes and changed no facts are kept for *bookkeeping_retention*. All these rows
    are kept for ever if *audit_retention* is None, or if there is a legal hold. If *bookkeeping_retention* is None, all
    these rows except the audit log are kept for ever.
    """

    partitions: PostgresPartitions
    audit_retention: timedelta | None
    bookkeeping_retention: timedelta | None = None
    days_ahead: int = DAYS_AHEAD

    def think(self, run: Run, _store: PostgresRuns) -> Plan:
        """Return the counts of partitions and rows.

        `made` and `dropped` count partitions. `moved` counts rows that were moved out of default partitions, and
        `in_default` counts rows that are still there. `pruned` counts deleted rows.
        """
        for each in self.partitions.in_default():
            _LOG.warning("moved %d rows of %s that were written before their partition existed", each.rows, each.parent)

        missing = self.partitions.missing(days_ahead=self.days_ahead)
        moved = sum(self.partitions.make(run, partition) for partition in missing)
        dropped = self._drop_old_audit(run) + self._drop_expired_months(run)

        left = sum(each.rows for each in self.partitions.in_default())
        if left:
            _LOG.error("%d rows are still in a default partition; the next run moves them", left)
        counts = {"made": len(missing), "moved": moved, "dropped": dropped, "in_default": left}
        return Plan(counts={**counts, "pruned": self._drop_old_rows(run)})

    def _drop_old_audit(self, run: Run) -> int:
        if self.audit_retention is None or self.partitions.under_legal_hold():
            return 0
        dropped = 0
        while name := self.partitions.drop_old_audit(run, retention_days=self.audit_retention.days):
            _LOG.info("%s is dropped: it ended more than %d days ago", name, self.audit_retention.days)
            dropped += 1
        return dropped

    def _drop_old_rows(self, run: Run) -> int:
        if self.audit_retention is None or self.bookkeeping_retention is None or self.partitions.under_legal_hold():
            return 0
        fields = {"bookkeeping_days": self.bookkeeping_retention.days, "counts_days": self.audit_retention.days}
        dropped = 0
        while gone := self.partitions.drop_old_rows(run, **fields, most=BATCH):
            dropped += gone
        return dropped

    def _drop_expired_months(self, run: Run) -> int:
        dropped = [month.name for month in self.partitions.expired() if self.partitions.drop_expired(run, month)]
        for name in dropped:
            _LOG.info("%s is dropped: all of its conversations have expired", name)
        return len(dropped)


@dataclass(frozen=True, slots=True)
class Check(JobWithoutCases):
    """A `Job` that checks invariants. The log gets the ids of the findings, and the run gets the counts."""

    store: PostgresChecks

    def think(self, _run: Run, _store: PostgresRuns) -> Plan:
        """Return the number of violations per invariant, and the total."""
        counts: Counter[str] = Counter(findings=0)
        for finding in self.store.findings(folds=FOLDS):
            counts["findings"] += 1
            counts[finding.invariant] += 1
            if counts[finding.invariant] <= MOST_LINES:
                _LOG.error("%s; %s", finding, finding.remedy)
        return Plan(counts=counts)


@dataclass(frozen=True, slots=True)
class Seal(JobWithoutCases):
    """A `Job` that seals every ledger: it stores a keyed hash over the new deltas and the previous seal."""

    store: PostgresSeals

    def think(self, _run: Run, _store: PostgresRuns) -> Plan:
        """Return the number of sealed ledgers, and of sealed deltas."""
        ledgers, deltas = self.store.seal()
        return Plan(counts={"ledgers": ledgers, "deltas": deltas})


@dataclass(frozen=True, slots=True)
class Reconcile(JobWithoutCases):
    """A `Job` that creates missing intents. An intent is missing if a scope has pending work but no intent."""

    store: PostgresSchedule

    def think(self, run: Run, _store: PostgresRuns) -> Plan:
        """Return the number of missing intents, which were created."""
        found = self.store.orphans(by=run.owner)
        if found:
            _LOG.error("%d scopes had episodes without an intent; please report this", len(found))
        return Plan(counts={"orphans": len(found)})


@dataclass(frozen=True, slots=True)
class Report(JobWithoutCases):
    """A `Job` that reports on the night that is ending, and on the night before. The report replaces an existing page.

    *write* stores one page, and deletes the pages of the tenant from before a date. If *write* is None, the job writes
    no pages. Pages are kept for *retention*. If *retention* is None, or while *under_legal_hold* returns True, pages
    are kept for ever.
    """

    nights: PostgresNightReports
    write: Callable[[NightReport, date | None], object] | None
    retention: timedelta | None = None
    under_legal_hold: Callable[[], bool] = lambda: False

    def think(self, _run: Run, _store: PostgresRuns) -> Plan:
        """Return the number of written pages. Raises `Incorrect` if a page cannot be written."""
        if self.write is None:
            return Plan(counts={"pages": 0})
        last = night_of(self.nights.now())
        oldest = None if self.retention is None or self.under_legal_hold() else last - self.retention
        pages = 0
        for tenant in self.nights.database.tenants():
            for night in (last - timedelta(days=1), last):
                with self.nights.stable(tenant, night) as report:
                    self.write(report, oldest)
                pages += 1
        return Plan(counts={"pages": pages})
