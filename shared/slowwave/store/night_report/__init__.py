"""Night reports. One transaction reads all numbers of a report from indexes."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from slowwave.core.histogram import quantile
from slowwave.domain.night_report import (
    NIGHTS,
    CanaryNight,
    Cost,
    Example,
    NightReport,
    PackNight,
    Trend,
    night_of,
    noon_before,
)
from slowwave.domain.overview import PastRun
from slowwave.domain.scope import Scope
from slowwave.domain.stats import Latency
from slowwave.store import advisory_locks, transaction
from slowwave.store.beliefs.deltas import text_of
from slowwave.store.database import Database
from slowwave.store.operator import tally
from slowwave.store.operator.queries import past
from slowwave.store.operator.stats import lag
from slowwave.store.statements import execute

MOST = 20_000
"""The maximum number of deltas of a night that a report reads, the latest first."""
LONGEST = 400
"""The maximum number of characters shown of the words that changed a belief."""
EXAMPLES = 6
"""The number of deltas of each kind that are shown as examples."""
PAGE_SECONDS = 60
"""The maximum number of seconds that an erasure waits for a page that is being written."""
SLOWEST = 6
"""The number of slowest runs that are shown."""
Asked = Mapping[str, Any]


@dataclass(frozen=True)
class PostgresNightReports:
    """The night reports of an installation. Raises `Unavailable` when the database is unreachable."""

    database: Database

    def now(self) -> datetime:
        """Return the database's time."""
        with self.database.dispatch() as connection:
            return transaction.now(connection)

    def night(self, tenant: str, night: date | None = None) -> NightReport:
        """Return the report of a night of *tenant*, by default of the current night."""
        with self.database.tenant(tenant) as connection:
            return night_on(connection, tenant, night)

    @contextmanager
    def stable(self, tenant: str, night: date | None = None) -> Iterator[NightReport]:
        """Give the report of a night. No erasure of the tenant ends within the block, so the block may store a page."""
        with self.database.long(tenant) as connection:
            connection.exec_driver_sql(
                "SELECT pg_advisory_xact_lock_shared(%(lock)s, hashtext(slowwave_tenant()))",
                {"lock": advisory_locks.REPORTS},
            )
            yield night_on(connection, tenant, night)


def lock_out_pages(connection: Connection) -> None:
    """Wait until no page of the tenant is being written, and let nobody write one until the transaction ends.

    Raises `Unavailable` after `PAGE_SECONDS`.
    """
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{PAGE_SECONDS}s'")
    connection.exec_driver_sql(
        "SELECT pg_advisory_xact_lock(%(lock)s, hashtext(slowwave_tenant()))", {"lock": advisory_locks.REPORTS}
    )


def night_on(connection: Connection, tenant: str, wanted: date | None) -> NightReport:
    """Return the report of a night of *tenant*, to which *connection* belongs, by default of the current night."""
    seen = transaction.now(connection)
    night = wanted or night_of(seen)
    since, until = noon_before(night), noon_before(night + timedelta(days=1))
    asked = {"tenant": tenant, "since": since, "until": until}
    first = noon_before(night - timedelta(days=NIGHTS - 1))
    trend, buckets = _trend(connection, {**asked, "since": first}, night)
    decided, examples = _decided(connection, asked)
    return NightReport(
        tenant=tenant,
        night=night,
        since=since,
        until=min(until, seen),
        seen=seen,
        decided=decided,
        more=sum(decided.values()) >= MOST,
        examples=examples,
        trend=trend,
        slowest=_slowest(connection, asked),
        letters={
            category: (written, open_)
            for category, written, open_ in execute(connection, "night_report/dead_letters", **asked)
        },
        canaries=_canaries(connection, asked),
        lag=lag(connection, tenant, since=since, until=until),
        recalls=Latency(sum(buckets.values()), *(quantile(buckets, share) for share in (0.5, 0.95, 0.99))),
    )  # fmt: skip


def _decided(connection: Connection, asked: Asked) -> tuple[dict[str, int], dict[str, Sequence[Example]]]:
    rows = execute(
        connection, "night_report/deltas_by_outcome", **asked, most=MOST, examples=EXAMPLES, longest=LONGEST
    ).mappings()
    decided: dict[str, int] = {}
    examples: dict[str, list[Example]] = defaultdict(list)
    for row in rows:
        decided[row["what"]] = row["number"]
        examples[row["what"]].append(
            Example(
                what=row["what"],
                ended=row["ended"], text=text_of(row["payload"]), before=row["before"] or "",
                scope=Scope(row["tenant"], row["user_id"], row["agent"], row["channel"]),
                rule=row["rule"], confidence=row["confidence"], recorded=row["recorded"], words=_quote(row["cited"]),
            )
        )  # fmt: skip
    return decided, dict(examples)


def _quote(cited: Sequence[Any] | None) -> str:
    """Return the cited characters of a turn: *cited* has the text, the start and the end."""
    return "" if cited is None else str(cited[0])[cited[1] : cited[2]]


def _trend(connection: Connection, asked: Asked, last: date) -> tuple[list[Trend], dict[int, int]]:
    """Return the trend of the nights up to *last*, and the recalls of the last night, counted by bucket of duration."""
    counts: dict[int, dict[str, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    for night, job, name, number in execute(connection, "night_report/counts", **asked):
        counts[night][job][name] = number
    costs = {
        night: Cost(calls, tokens, micros / 1_000_000)
        for night, calls, tokens, micros in execute(connection, "night_report/cost", **asked)
    }
    names = [tally.RECALL_HIT, tally.RECALL_MISS, tally.RECALL_MS]
    recalls: dict[int, int] = defaultdict(int)
    buckets: dict[int, int] = {}
    for night, name, bucket, number in execute(connection, "night_report/recalls", **asked, names=names):
        if name != tally.RECALL_MS:
            recalls[night] += number
        elif night == NIGHTS - 1:
            buckets[bucket] = number
    days = [last - timedelta(days=NIGHTS - 1 - night) for night in range(NIGHTS)]
    return [
        Trend(day, counts.get(night, {}), costs.get(night, Cost()), recalls.get(night, 0))
        for night, day in enumerate(days)
    ], buckets


def _canaries(connection: Connection, asked: Asked) -> list[CanaryNight]:
    installed: dict[str, PackNight] = {}
    canaries = []
    for pack, version, is_installed, *counts in execute(connection, "night_report/canaries", **asked):
        one = PackNight(pack, version, *counts)
        if is_installed:
            installed[pack] = one
        else:
            canaries.append(one)
    return [CanaryNight(one, installed.get(one.pack)) for one in canaries]


def _slowest(connection: Connection, asked: Asked) -> list[PastRun]:
    rows = execute(connection, "night_report/slowest", **asked, most=SLOWEST).mappings()
    return [past(dict(row)) for row in rows]
