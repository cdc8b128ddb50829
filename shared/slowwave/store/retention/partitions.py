"""Partitions of episodes and of the audit log: SQL functions of the owner find, create, fill and drop them.

Every function that changes partitions waits 300 ms for its lock, so that no writer waits longer. Without the lock, the
function raises `Unavailable`, and the caller tries again (`patiently`).
"""

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection

from slowwave.domain.partition import DefaultRows, Partition
from slowwave.domain.pattern import ROUTINE_SPAN
from slowwave.domain.run import Run
from slowwave.errors import Unavailable
from slowwave.store.database import Repository
from slowwave.store.retention import legal_holds
from slowwave.store.statements import execute
from slowwave.store.work_queue import leases

DAYS_AHEAD = 30
"""The number of days for which partitions exist ahead. If the job does not run for longer, default partitions
get rows.
"""
SIGHTING_DAYS = ROUTINE_SPAN.days + 35
"""The days for which the weeks of routines are kept: those that count, and a month for late episodes."""

T = TypeVar("T")

ATTEMPTS = 20
"""The number of attempts of a run to get a lock, of 300 ms each, before the run gives up."""


class PostgresPartitions(Repository):
    """The partitions of tables. Each method is one short transaction. Every change is made under the run's fence.

    Methods raise `Unavailable` when other transactions keep a table locked for too long.
    """

    def missing(self, *, days_ahead: int) -> list[Partition]:
        """Return the partitions to create, for the coming days and for rows in a default partition."""
        with self._database.dispatch() as connection:
            return missing(connection, days_ahead=days_ahead)

    def in_default(self) -> list[DefaultRows]:
        """Return the number of rows in default partitions, one entry per table with such rows."""
        with self._database.dispatch() as connection:
            return in_default(connection)

    def make(self, run: Run, partition: Partition) -> int:
        """Create a partition; return how many rows moved there from the default partition."""
        return self._fenced(run, lambda connection: make(connection, partition))

    def drop_old_audit(self, run: Run, *, retention_days: int) -> str | None:
        """Drop the oldest day of the audit log, if it ended at least *retention_days* ago.

        Returns the name of the dropped partition, or None.
        """
        return self._fenced(run, lambda connection: drop_old_audit(connection, retention_days=retention_days))

    def drop_old_rows(self, run: Run, *, bookkeeping_days: int, counts_days: int, most: int) -> int:
        """Delete old bookkeeping, counts, model calls, closed dead letters, unused quota rows and weeks of routines, at
        most *most* rows per table; return the total number.
        """
        asked = {"bookkeeping": bookkeeping_days, "counts": counts_days, "weeks": SIGHTING_DAYS, "most": most}
        statement = (
            "SELECT slowwave_drop_old_bookkeeping(%(bookkeeping)s, %(counts)s, %(most)s) "
            "+ slowwave_drop_old_runs(%(bookkeeping)s, %(most)s) + slowwave_drop_old_model_calls(%(counts)s, %(most)s) "
            "+ slowwave_drop_old_sightings(%(weeks)s, %(most)s) "
            "+ slowwave_drop_old_dead_letters(%(counts)s, %(most)s)"
        )
        return self._fenced(run, lambda connection: int(connection.exec_driver_sql(statement, asked).scalar_one()))

    def expired(self) -> list[Partition]:
        """Return the past months of episodes that hold only tombstoned conversations."""
        with self._database.dispatch() as connection:
            months = [Partition(**row) for row in execute(connection, "retention/partitions_over").mappings()]
        tenants = self._database.tenants()
        return [month for month in months if not any(self._remembers(tenant, month) for tenant in tenants)]

    def drop_expired(self, run: Run, month: Partition) -> bool:
        """Drop a month of episodes; return False if the month was dropped before, or if a locked check found a
        live episode.
        """
        return self._fenced(
            run,
            lambda connection: bool(
                connection.exec_driver_sql(
                    "SELECT slowwave_drop_forgotten_month(%(lo)s)", {"lo": month.lo}
                ).scalar_one()
            ),
        )

    def under_legal_hold(self) -> bool:
        """Return whether a legal hold of any tenant is in force. Served by legal_holds_in_force."""
        return any(self._has_legal_hold(tenant) for tenant in self._database.tenants())

    def _has_legal_hold(self, tenant: str) -> bool:
        with self._database.tenant(tenant) as connection:
            return legal_holds.any_in_force(connection)

    def _remembers(self, tenant: str, month: Partition) -> bool:
        with self._database.tenant(tenant) as connection:
            found = execute(connection, "retention/partition_has_live_episodes", lo=month.lo, hi=month.hi)
            return bool(found.scalar_one())

    def _fenced(self, run: Run, act: Callable[[Connection], T]) -> T:
        def once() -> T:
            with self._database.dispatch() as connection:
                leases.fence(connection, run)
                return act(connection)

        return patiently(once)


def missing(connection: Connection, *, days_ahead: int) -> list[Partition]:
    """Return the partitions to create, by table and time.

    *connection* has the role slowwave_dispatch or the owner's.
    """
    rows = connection.exec_driver_sql(
        "SELECT parent, name, lo, hi FROM slowwave_missing_partitions(%(days)s)", {"days": days_ahead}
    )
    return [Partition(**row) for row in rows.mappings()]


def make(connection: Connection, partition: Partition) -> int:
    """Create a partition; return how many rows moved there from the default partition. Safe to repeat."""
    moved = connection.exec_driver_sql(
        "SELECT slowwave_make_partition(%(parent)s, %(lo)s)", {"parent": partition.parent, "lo": partition.lo}
    ).scalar_one()
    return int(moved or 0)


def in_default(connection: Connection) -> list[DefaultRows]:
    """Return the number of rows in default partitions, in order of table; omit tables without such rows."""
    rows = connection.exec_driver_sql(
        "SELECT parent, rows, first, last FROM slowwave_rows_in_default_partitions() ORDER BY parent"
    )
    return [DefaultRows(**row) for row in rows.mappings() if row["rows"]]


def drop_old_audit(connection: Connection, *, retention_days: int) -> str | None:
    """Drop the oldest day of the audit log past *retention_days*. Raises `Incorrect` for less than 7 days."""
    name = connection.exec_driver_sql(
        "SELECT slowwave_drop_old_audit_partition(%(days)s)", {"days": retention_days}
    ).scalar_one()
    return str(name) if name else None


def patiently(act: Callable[[], T], *, attempts: int = ATTEMPTS) -> T:
    """Return the result of *act*; retry without pause while *act* raises `Unavailable`.

    *act* itself waits for its lock.
    """
    for attempt in range(1, attempts + 1):
        try:
            return act()
        except Unavailable:
            if attempt == attempts:
                raise
    raise AssertionError("unreachable")
