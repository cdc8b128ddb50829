"""Turns of tenants: a process does a few runs of one tenant, and then looks for work of the others."""

from collections import Counter
from collections.abc import Mapping

from slowwave.domain.access import TURNS
from slowwave.runtime import clock
from slowwave.store.access.quotas import FREE_SECONDS
from slowwave.store.database import Database

SEARCH_SHARE = 0.05
"""The share of time for which a process with work of only one tenant searches for work of other tenants."""
LONGEST_PAUSE_SECONDS = 0.5
"""The longest pause between two such searches, less than the time of a full window. One slow search must not make a
long pause.
"""


class Turns:
    """The turns of tenants in the present round of one process. A turn is one run, or the quota `runs-in-turn`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._runs: Counter[str] = Counter()
        self._last = ""
        self._lengths: Mapping[str, int] = {}
        self._read_again = 0.0
        self._alone_until = 0.0

    @property
    def alone(self) -> bool:
        """Return whether only one tenant had work at the last search, and the next search is not due."""
        return clock.monotonic() < self._alone_until

    def count(self, tenant: str) -> None:
        """Count a run of *tenant*."""
        self._runs[tenant] += 1
        self._last = tenant

    def ended(self) -> list[str]:
        """Return the tenants whose turn in this round has ended."""
        if not self._runs or self.alone:
            return []
        self._read_lengths()
        return [tenant for tenant, runs in self._runs.items() if runs >= self._lengths.get(tenant, 1)]

    def new_round(self, searched_since: float) -> list[str]:
        """Begin a new round after a search that began at *searched_since* and found no work of other tenants.

        After a round with one tenant, the search pauses, so that searches take only the share `SEARCH_SHARE` of the
        time. After a round with several tenants, return the tenant of the last run, which has just had a turn.
        """
        several = len(self._runs) > 1
        if len(self._runs) == 1:
            now = clock.monotonic()
            self._alone_until = now + min((now - searched_since) / SEARCH_SHARE, LONGEST_PAUSE_SECONDS)
        self._runs.clear()
        return [self._last] if several else []

    def _read_lengths(self) -> None:
        if clock.monotonic() < self._read_again:
            return
        with self._database.dispatch() as connection:
            rows = connection.exec_driver_sql(
                "SELECT tenant, most FROM quotas WHERE what = %(what)s AND applies = 'tenant' AND most > 1",
                {"what": TURNS},
            )
            self._lengths = {row.tenant: row.most for row in rows}
        self._read_again = clock.monotonic() + FREE_SECONDS
