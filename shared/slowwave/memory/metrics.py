"""Prometheus metrics of the whole installation: the names of all metrics, and the response to a scrape."""

import threading
from collections.abc import Iterator, Mapping

from slowwave.core.histogram import longest
from slowwave.domain.overview import Measurements
from slowwave.errors import Unavailable
from slowwave.runtime import clock
from slowwave.runtime.extras import needed
from slowwave.store.metrics import PostgresMetrics
from slowwave.wiring import Parts

__all__ = ["CONTENT_TYPE", "Exposition"]


with needed():
    from prometheus_client import Metric
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

LIMITS_MS = (1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000)
"""Upper bounds in milliseconds of the exported latency buckets of recalls.

They are a selection of the internal buckets.
"""
EMPTY = Measurements(
    work=[], oldest=0, ended=[], deltas={}, prepared=0, lag=None, seen={}, partitions={}, rows={}, bytes=0, tenants=0,
    counting=0, requests={}, providers=[], calls={}, tokens=0, money=0, counted={}, took={}, letters={},
)  # fmt: skip
"""An empty measurement, from which the names of all metric families are read."""
FRESH_SECONDS = 5.0
"""Seconds for which a response is reused, so that frequent scrapes cost the database nothing."""


def families(measured: Measurements) -> Iterator[Metric]:
    """Yield every metric family. No label names a tenant, a user, an agent, a channel or an id."""
    yield from _work(measured)
    yield from _runs(measured)
    yield from _model_call_metrics(measured)
    yield from _recalls(measured)
    yield _by("dead_letters_open", "open dead letters", "category", measured.letters)
    yield _by("seen_seconds", "seconds since the last sign of life", "role", measured.seen)
    yield _by("partition_room_seconds", "seconds until no partition exists for new rows", "table", measured.partitions)
    yield _by("rows", "rows, as the planner estimates them", "table", measured.rows)
    yield _one("database_bytes", "size of the database", measured.bytes)
    yield _one("tenants", "number of tenants", measured.tenants)
    yield _one("tenants_counted", "tenants whose dead letters, recalls and model calls are counted", measured.counting)


def names() -> set[str]:
    """Return the names of all possible samples, as used in PromQL expressions."""
    found = {"slowwave_up"}
    for family in families(EMPTY):
        suffixes = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum")}.get(family.type, ("",))
        found |= {family.name + suffix for suffix in suffixes}
    return found


def up(reached: bool) -> Metric:
    """Return the metric that is 1 if the database answered, else 0."""
    return _one("up", "1 if the database answered, else 0", int(reached))


def _work(measured: Measurements) -> Iterator[Metric]:
    states = GaugeMetricFamily(
        "slowwave_intents", "work that is due, overdue by a minute, or running", labels=["job", "state"]
    )
    for one in measured.work:
        for state, number in (("due", one.due), ("late", one.late), ("running", one.running)):
            states.add_metric([one.job, state], number)
    yield states
    yield _one("lag_seconds", "seconds since the oldest pending work became due", measured.oldest)
    shares = dict(zip(("0.5", "1"), measured.lag or (), strict=False))
    yield _by(
        "consolidation_lag_seconds", "time from an episode's receipt to its consolidation, in the last 5 minutes",
        "quantile", shares,
    )  # fmt: skip


def _runs(measured: Measurements) -> Iterator[Metric]:
    runs = GaugeMetricFamily("slowwave_recent_runs", "runs that ended in the last 5 minutes", labels=["job", "outcome"])
    took = GaugeMetricFamily(
        "slowwave_recent_run_seconds",
        "total seconds of the runs that ended in the last 5 minutes",
        labels=["job", "outcome"],
    )
    for one in measured.ended:
        runs.add_metric([one.job, one.outcome], one.runs)
        took.add_metric([one.job, one.outcome], one.seconds)
    yield runs
    yield took
    yield _by("recent_deltas", "deltas applied in the last 5 minutes", "kind", measured.deltas)
    yield _one("recent_episodes", "episodes prepared in the last 5 minutes", measured.prepared)


def _model_call_metrics(measured: Measurements) -> Iterator[Metric]:
    yield _by("model_requests", "model calls that are pending or running", "state", measured.requests)
    calls = CounterMetricFamily("slowwave_model_calls", "model calls made since midnight, UTC", labels=["outcome"])
    for outcome, number in measured.calls.items():
        calls.add_metric([outcome], number)
    yield calls
    yield CounterMetricFamily(
        "slowwave_model_tokens", "tokens that model calls used since midnight, UTC", measured.tokens
    )
    yield CounterMetricFamily("slowwave_model_money", "money that model calls cost since midnight, UTC", measured.money)
    open_ = {one.name: float(one.open_until is not None) for one in measured.providers}
    yield _by("model_breaker_open", "1 if a provider's circuit breaker is open, else 0", "provider", open_)
    failures = {one.name: one.failures for one in measured.providers}
    yield _by("model_failures_in_a_row", "consecutive failed calls", "provider", failures)


def _recalls(measured: Measurements) -> Iterator[Metric]:
    recalls = CounterMetricFamily("slowwave_recalls", "recalls since midnight, UTC", labels=["found"])
    cache = CounterMetricFamily("slowwave_cache_reads", "reads of the cache since midnight, UTC", labels=["found"])
    for found, result in (("something", "hit"), ("nothing", "miss")):
        recalls.add_metric([found], measured.counted.get(f"recall_{result}", 0))
        cache.add_metric([found], measured.counted.get(f"cache_{result}", 0))
    yield recalls
    yield cache
    yield _histogram(measured.took)


def _histogram(took: Mapping[int, int]) -> Metric:
    """Return the latency histogram of recalls.

    The sum is up to 6 % too high, because recalls are counted in buckets.
    """
    ends = {bucket: longest(bucket) for bucket in took}
    within = [sum(count for bucket, count in took.items() if ends[bucket] <= most) for most in LIMITS_MS]
    buckets = [(f"{most / 1000:g}", float(count)) for most, count in zip(LIMITS_MS, within, strict=True)]
    total = float(sum(took.values()))
    made = HistogramMetricFamily("slowwave_recall_seconds", "durations of recalls since midnight, UTC")
    made.add_metric([], [*buckets, ("+Inf", total)], sum(ends[bucket] * count for bucket, count in took.items()) / 1000)
    return made


def _one(name: str, says: str, value: float) -> Metric:
    return GaugeMetricFamily(f"slowwave_{name}", says, value)


def _by(name: str, says: str, label: str, values: Mapping[str, float]) -> Metric:
    made = GaugeMetricFamily(f"slowwave_{name}", says, labels=[label])
    for value, number in values.items():
        made.add_metric([value], number)
    return made


with needed():
    from prometheus_client import CollectorRegistry, Metric, generate_latest
    from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4 as CONTENT_TYPE


class Exposition:
    """The metrics of the installation of *parts*. Every process returns the same metrics. Threads can share the object.

    With cells, each metric has the label `cell`.

    `registry` can be passed to prometheus-client's own servers.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._lock = threading.Lock()
        self._families: list[Metric] = []
        self._at = -FRESH_SECONDS
        self.registry = CollectorRegistry(auto_describe=False)
        self.registry.register(self)

    def collect(self) -> Iterator[Metric]:
        """Yield every metric family. If the database is down, yield only the family that reports the outage."""
        with self._lock:
            if clock.monotonic() - self._at >= FRESH_SECONDS:
                self._families = self._ask()
                self._at = clock.monotonic()
            measured = self._families
        yield from measured

    def text(self) -> bytes:
        """Return the response to a scrape, of content type `CONTENT_TYPE`."""
        return generate_latest(self.registry)

    def _ask(self) -> list[Metric]:
        if self._parts.cells is None:
            return _measured(self._parts)
        found: dict[str, Metric] = {}
        for name, cell in self._parts.each_cell().items():
            for family in _measured(cell):
                samples = [sample._replace(labels={**sample.labels, "cell": name}) for sample in family.samples]
                if family.name in found:
                    found[family.name].samples += samples
                else:
                    family.samples = samples
                    found[family.name] = family
        return list(found.values())

    def __repr__(self) -> str:
        return f"<Exposition: {len(self._families)} families>"


def _measured(parts: Parts) -> list[Metric]:
    try:
        return [up(True), *families(PostgresMetrics(parts.database).measured())]
    except Unavailable:
        return [up(False)]
