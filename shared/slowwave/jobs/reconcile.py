"""Reconcile intents with pending work: create an intent for work that has none, and log it."""

import logging
from dataclasses import dataclass
from typing import Protocol

from slowwave.domain.overview import Due
from slowwave.domain.run import Run
from slowwave.ports import Plan, RunStore

_LOG = logging.getLogger(__name__)


class WorkStore(Protocol):
    """The pending work, as the database keeps it. Raises `Unavailable` when the database is unreachable."""

    def orphans(self, *, by: str) -> list[Due]:
        """Create intents for pending work that has none, and return that work. Safe to repeat."""


@dataclass(frozen=True, slots=True)
class Reconcile:
    """A `Job` that looks at every scope: once an hour is often enough."""

    store: WorkStore

    def think(self, run: Run, _store: RunStore) -> Plan:
        """Return how much work without an intent was found."""
        found = self.store.orphans(by=run.owner)
        if found:
            _LOG.error("%d scopes had episodes without an intent; please report this", len(found))
        return Plan(counts={"orphans": len(found)})

    def witness(self, _run: Run) -> bool:
        """Return True: no episode is read, so none can be to blame."""
        return True
