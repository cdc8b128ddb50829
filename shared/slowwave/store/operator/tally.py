"""Hourly counts of recalls, durations, cache hits and anticipated memories. The counts survive restarts."""

from collections import Counter

from slowwave.core import histogram
from slowwave.store.database import Database
from slowwave.store.statements import execute
from slowwave.store.write_behind import WriteBehind, tenant_by_tenant

RECALL_MS = "recall_ms"
"""The duration of recalls: a histogram, whose buckets are those of `slowwave.core.histogram`."""
RECALL_HIT, RECALL_MISS = "recall_hit", "recall_miss"
"""The numbers of recalls with results and of recalls without results."""
CACHE_HIT, CACHE_MISS = "cache_hit", "cache_miss"
"""The numbers of reads of working memory that hit the cache and that missed the cache."""
AHEAD_HIT, AHEAD_MISS = "ahead_hit", "ahead_miss"
"""The numbers of a context's memories that were anticipated for the conversation and that were not anticipated."""

Count = tuple[str, str, int]
"""One event: its tenant, name and bucket."""


class Tally(WriteBehind[Count]):
    """Counts events by tenant and hour, in the background. The database's time at the write determines the hour.

    If *timed* is true, the durations of recalls are counted. A process for a single question does not count durations,
    because its recall includes the loading of the model.
    """

    def __init__(self, database: Database, *, timed: bool = True) -> None:
        super().__init__(lambda batch: tenant_by_tenant(batch, lambda one: one[0], self._count), name="tally")
        self._database = database
        self.timed = timed

    def recalled(self, tenant: str, *, found: int, milliseconds: float) -> None:
        """Count a recall."""
        name = RECALL_HIT if found else RECALL_MISS
        took = [(tenant, RECALL_MS, histogram.bucket(milliseconds))] if self.timed else []
        self.add([(tenant, name, 0), *took])

    def cached(self, tenant: str, *, hit: bool) -> None:
        """Count a read of the cache."""
        self.add([(tenant, CACHE_HIT if hit else CACHE_MISS, 0)])

    def anticipated(self, tenant: str, *, hits: int, misses: int) -> None:
        """Count the memories of a context: *hits* were anticipated, and *misses* were not."""
        self.add([(tenant, AHEAD_HIT, 0)] * hits + [(tenant, AHEAD_MISS, 0)] * misses)

    def _count(self, tenant: str, happened: list[Count]) -> None:
        counted = Counter((name, bucket) for _, name, bucket in happened)
        lines = sorted((name, bucket, count) for (name, bucket), count in counted.items())
        with self._database.at(tenant).tenant(tenant) as connection:
            execute(
                connection,
                "operator/tally_add",
                names=[name for name, _, _ in lines],
                buckets=[bucket for _, bucket, _ in lines],
                counts=[count for _, _, count in lines],
            )
