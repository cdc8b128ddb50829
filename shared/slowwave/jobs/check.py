"""Look whether every promise holds, and say where one does not. Nothing is mended."""

import logging
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from slowwave.domain.finding import Finding
from slowwave.domain.run import Run
from slowwave.ports import Plan, RunStore

_LOG = logging.getLogger(__name__)

FOLDS = 100
"""Ledgers of each tenant that one run folds anew."""
MOST_LINES = 50
"""Findings of each invariant that are logged one by one; the counts hold all."""


class CheckStore(Protocol):
    """The invariants as the database can be asked for them. Raises `Unavailable` when the database is away."""

    def findings(self, *, folds: int | None) -> Iterator[Finding]:
        """Give the findings; fold at most *folds* ledgers of each tenant anew, None for all."""


@dataclass(frozen=True, slots=True)
class Check:
    """A `Job`: what it finds goes to the log, by ids alone, and to the run's counts."""

    store: CheckStore

    def think(self, _run: Run, _store: RunStore) -> Plan:
        """Return how often each invariant does not hold, and how often any."""
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
