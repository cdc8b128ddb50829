"""Reconcile intents with what waits: work that no intent asks for is asked for, and the log is told of it."""

import logging
from dataclasses import dataclass
from typing import Protocol

from slowwave.domain.metrics.overview import Due
from slowwave.domain.run import Run
from slowwave.ports import Plan, RunStore

_LOG = logging.getLogger(__name__)


class WorkStore(Protocol):
    """The work as the database keeps it. Raises `Unavailable` when the database is away."""

    def orphans(self, *, by: str) -> list[Due]:
        """Ask for work that nothing asks for, and return it. Safe to repeat."""


@dataclass(frozen=True, slots=True)
class Reconcile:
    """A `Job`. It costs a look at every scope: once an hour is plenty."""

    store: WorkStore

    def think(self, run: Run, _store: RunStore) -> Plan:
        """Return how much work was found."""
        found = self.store.orphans(by=run.owner)
        if found:
            _LOG.error("%d scopes had episodes that nothing asked for; please report this", len(found))
        return Plan(counts={"orphans": len(found)})

    def witness(self, _run: Run) -> bool:
        """Return True: no episode is read, so none can be to blame."""
        return True
