"""The check of every invariant, which repairs nothing; and the sealing of ledgers, which lets it notice changes."""

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
"""How many ledgers of each tenant one run folds from the first delta on, to compare the facts."""
MOST_LINES = 50
"""How many findings of each invariant are logged one by one; the counts include all."""


class CheckStore(Protocol):
    """The database queries that check invariants. Raises `Unavailable` when the database is unreachable."""

    def findings(self, *, folds: int | None) -> Iterator[Finding]:
        """Give the findings; fold at most *folds* ledgers of each tenant from the first delta on, or all with None."""


@dataclass(frozen=True, slots=True)
class Check:
    """A `Job` whose findings go to the log, by ids only, and to the run's counts."""

    store: CheckStore

    def think(self, _run: Run, _store: RunStore) -> Plan:
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


class SealStore(Protocol):
    """The ledgers and their seals. Raises `Unavailable` when the database is unreachable."""

    def seal(self) -> tuple[int, int]:
        """Seal the new deltas of each ledger; return how many ledgers and deltas were sealed. Safe to repeat."""


@dataclass(frozen=True, slots=True)
class Seal:
    """A `Job` that seals every ledger of the installation."""

    store: SealStore

    def think(self, _run: Run, _store: RunStore) -> Plan:
        """Return how many ledgers and deltas were sealed."""
        ledgers, deltas = self.store.seal()
        return Plan(counts={"ledgers": ledgers, "deltas": deltas})

    def witness(self, _run: Run) -> bool:
        """Return True: no episode is read, so none can be to blame."""
        return True
