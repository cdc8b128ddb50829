"""Write a report page of each tenant's night, if a folder for pages is set."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Protocol

from slowwave.domain.night_report import NightReport, night_of
from slowwave.domain.run import Run
from slowwave.ports import Plan, RunStore


class NightStore(Protocol):
    """The reports of nights, as the database gives them. Raises `Unavailable` when the database is unreachable."""

    def tenants(self) -> list[str]:
        """Return the names of all tenants."""

    def now(self) -> datetime:
        """Return the database's time."""

    def night(self, tenant: str, night: date) -> NightReport:
        """Return what happened in a night of *tenant*."""


@dataclass(frozen=True, slots=True)
class Report:
    """A `Job` that reports on the night that is ending, and on the night before. An existing page is replaced.

    *write* stores one page; None if no pages are wanted.
    """

    nights: NightStore
    write: Callable[[NightReport], object] | None

    def think(self, _run: Run, _store: RunStore) -> Plan:
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
