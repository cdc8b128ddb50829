"""The response to a scrape; it queries the database at most once every few seconds, for any number of scrapers."""

import threading
from collections.abc import Iterator

from slowwave.errors import Unavailable
from slowwave.memory.metrics.families import families, up
from slowwave.runtime import clock
from slowwave.runtime.extras import needed
from slowwave.store.metrics.metrics import PostgresMetrics
from slowwave.wiring import Parts

with needed():
    from prometheus_client import CollectorRegistry, Metric, generate_latest
    from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4 as CONTENT_TYPE

__all__ = ["CONTENT_TYPE", "Exposition"]

FRESH_SECONDS = 5.0
"""Seconds for which a response is reused, so that frequent scrapes cost the database nothing."""


class Exposition:
    """The metrics of the installation of *parts*; the same from every process. Safe between threads.

    `registry` can be passed to prometheus-client's own servers.
    """

    def __init__(self, parts: Parts) -> None:
        self._metrics = PostgresMetrics(parts.database)
        self._lock = threading.Lock()
        self._told: list[Metric] = []
        self._at = -FRESH_SECONDS
        self.registry = CollectorRegistry(auto_describe=False)
        self.registry.register(self)

    def collect(self) -> Iterator[Metric]:
        """Give every metric family; if the database is down, only the family that reports it."""
        with self._lock:
            if clock.monotonic() - self._at >= FRESH_SECONDS:
                self._told = self._ask()
                self._at = clock.monotonic()
            told = self._told
        yield from told

    def text(self) -> bytes:
        """Return the response to a scrape, of content type `CONTENT_TYPE`."""
        return generate_latest(self.registry)

    def _ask(self) -> list[Metric]:
        try:
            return [up(True), *families(self._metrics.measured())]
        except Unavailable:
            return [up(False)]

    def __repr__(self) -> str:
        return f"<Exposition: {len(self._told)} families>"
