"""Metrics of an installation. Every statement reads a limited number of rows, however large the installation is."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection

from slowwave.domain.overview import Ended, Measurements, ProviderState, Work
from slowwave.domain.scope import SYSTEM_TENANT
from slowwave.store import transaction
from slowwave.store.database import Database
from slowwave.store.operator import tally
from slowwave.store.statements import execute

MOST = 5_000
"""The maximum number of rows of intents, runs, requests or dead letters that are counted."""
MOST_TENANTS = 100
"""The maximum number of tenants whose tallies, dead letters and calls are summed. Each tenant takes a transaction,
because no role sees these rows of two tenants.
"""
KINDS = ("add", "update", "delete", "noop")
TABLES = ("episodes", "facts", "deltas", "entities", "episode_vectors", "fact_vectors", "strategies", "conversations")
"""The tables whose rows are counted: those with memories and their vectors."""
_NAMES = [tally.RECALL_MS, tally.RECALL_HIT, tally.RECALL_MISS, tally.CACHE_HIT, tally.CACHE_MISS]


@dataclass(frozen=True)
class PostgresMetrics:
    """The metrics of an installation. Raises `Unavailable` when the database is unreachable."""

    database: Database

    def measured(self) -> Measurements:
        """Return the present metrics of the installation."""
        with self.database.dispatch() as connection:
            midnight = transaction.now(connection).astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        tenants = self.database.tenants()
        counting = tenants[:MOST_TENANTS]
        letters: Counter[str] = Counter()
        counted: Counter[str] = Counter()
        took: Counter[int] = Counter()
        for tenant in (*counting, SYSTEM_TENANT):  # the dead letters of the system tenant are malformed messages
            with self.database.tenant(tenant) as connection:
                _of_tenant(connection, tenant, midnight, letters, counted, took)
        with self.database.dispatch() as connection:
            return _of_all(connection, tenants=len(tenants), counting=counting, letters=letters, counted=counted,
                took=took)  # fmt: skip


def _of_tenant(
    connection: Connection,
    tenant: str,
    midnight: datetime,
    letters: Counter[str],
    counted: Counter[str],
    took: Counter[int],
) -> None:
    for category, number in execute(connection, "metrics/dead_letters", tenant=tenant, most=MOST):
        letters[category] += number
    for name, bucket, number in execute(connection, "metrics/tallies", tenant=tenant, names=_NAMES, midnight=midnight):
        if name == tally.RECALL_MS:
            took[bucket] += number
        else:
            counted[name] += number


def _of_all(
    connection: Connection,
    *,
    tenants: int,
    counting: list[str],
    letters: Counter[str],
    counted: Counter[str],
    took: Counter[int],
) -> Measurements:
    work = execute(connection, "metrics/work", most=MOST).mappings().all()
    ended = execute(connection, "metrics/ended", most=MOST).mappings().all()
    lag = execute(connection, "metrics/lag", most=MOST).one_or_none()
    calls = execute(connection, "metrics/model_calls", tenants=counting).mappings().all()
    providers = execute(connection, "operator/providers").mappings()
    now = transaction.now(connection)
    untils = execute(connection, "retention/partitions")
    return Measurements(
        work=[Work(row["job"], row["due"], row["late"], row["running"]) for row in work],
        oldest=max((row["oldest"] for row in work), default=0.0),
        ended=[Ended(row["job"], row["outcome"], row["runs"], row["seconds"]) for row in ended],
        deltas={kind: sum(row[kind] or 0 for row in ended) for kind in KINDS},
        prepared=sum(row["episodes"] or 0 for row in ended if row["job"] == "prepare"),
        lag=None if lag is None else (lag[0], lag[1]),
        seen=dict(execute(connection, "metrics/last_signs_of_life").all()),
        partitions={name: (until - now).total_seconds() for name, until in untils if until},
        rows=dict(execute(connection, "metrics/rows", tables=list(TABLES)).all()),
        bytes=connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one(),
        tenants=tenants,
        counting=len(counting),
        requests=dict(
            execute(connection, "metrics/requests", tenants=counting, most=MOST).mappings().one()
        ),
        providers=[ProviderState(**row) for row in providers],
        calls={row["outcome"]: row["calls"] for row in calls},
        tokens=sum(row["tokens"] for row in calls),
        money=sum(row["micros"] for row in calls) / 1_000_000,
        counted=counted,
        took=took,
        letters=letters,
    )  # fmt: skip
