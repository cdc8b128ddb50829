"""The quotas of tenants: spent by pushes and recalls, shown and changed by an operator."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from slowwave.domain.access import PERIODS, Quota
from slowwave.domain.job_table import PREPARE, pack_of
from slowwave.errors import Crowded, Incorrect, NotFound
from slowwave.runtime import clock
from slowwave.store.database import Database
from slowwave.store.statements import sql

FREE_SECONDS = 5.0
"""Seconds for which a process caches that a tenant has no quota. After that time, a new quota is in force everywhere.
"""
WAITING_SECONDS = 2.0
"""Seconds to wait before a retry if too many episodes wait for preparation."""
_THESE = """
SELECT what, most, level, extract(epoch FROM slowwave_now() - seen)::float8 AS seconds FROM quotas
WHERE tenant = slowwave_tenant() AND most IS NOT NULL AND what = ANY(%(these)s::text[]) ORDER BY what
"""


class Quotas:
    """The quotas of tenants, with a cache of the tenants that have none."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._free: dict[tuple[str, str], float] = {}

    def spend_on_recall(self, tenant: str) -> None:
        """Take one recall from a tenant's quotas. Raises `Crowded`, with the time to wait, if no recall is left."""
        if wanted := self._limited(tenant, {"recalls-a-minute": 1}):
            with self._database.tenant(tenant) as connection:
                self._spend(connection, tenant, wanted)

    def spend_in(self, connection: Connection, tenant: str, *, episodes: int, bytes_: int) -> None:
        """Subtract the *episodes* and *bytes_* that this transaction stored from a tenant's quotas, in the same
        transaction.

        Raises `Crowded`, with the time to wait, if a quota is used up, and `Incorrect` if the transaction stored more
        than a full quota allows.
        """
        asked = {"episodes-a-minute": episodes, "bytes-a-day": bytes_, "episodes-waiting": episodes}
        if episodes and (wanted := self._limited(tenant, asked)):
            self._spend(connection, tenant, wanted)

    def _limited(self, tenant: str, wanted: Mapping[str, int]) -> Mapping[str, int]:
        """Return *wanted* without the kinds for which the cache says that the tenant has no quota."""
        now = clock.monotonic()
        return {what: number for what, number in wanted.items() if now >= self._free.get((tenant, what), 0.0)}

    def _spend(self, connection: Connection, tenant: str, wanted: Mapping[str, int]) -> None:
        """Subtract *wanted* from the quotas.

        Only the quotas of these kinds are locked, so a recall does not wait for a push.
        """
        rows = connection.exec_driver_sql(f"{_THESE} FOR UPDATE", {"these": list(wanted)}).all()
        for what in wanted.keys() - {row.what for row in rows}:
            self._free[tenant, what] = clock.monotonic() + FREE_SECONDS
        for row in rows:
            if number := wanted[row.what]:
                self._draw(connection, row, number)

    def listing(self, tenant: str) -> Sequence[Quota]:
        """Return the quotas of a tenant, by name."""
        with self._database.tenant(tenant) as connection:
            rows = connection.exec_driver_sql(_THESE, {"these": list(PERIODS)}).all()
            return [Quota(row.what, row.most, max(0, int(_left(connection, row)))) for row in rows]

    def set(self, tenant: str, what: str, most: int) -> None:
        """Set the quota of a tenant for *what* to *most*. A new quota is full."""
        _known(what)
        with self._database.tenant(tenant) as connection:
            connection.exec_driver_sql(
                "INSERT INTO quotas AS q (tenant, what, most, level) "
                "VALUES (slowwave_tenant(), %(what)s, %(most)s, %(most)s) "
                "ON CONFLICT (tenant, what) DO UPDATE SET most = excluded.most, "
                "level = CASE WHEN q.most IS NULL THEN excluded.most ELSE least(q.level, excluded.most) END",
                {"what": what, "most": most},
            )
        self._free.pop((tenant, what), None)

    def remove(self, tenant: str, what: str) -> None:
        """Remove a quota. Raises `NotFound` if the quota does not exist."""
        _known(what)
        with self._database.tenant(tenant) as connection:
            gone = connection.exec_driver_sql(
                "UPDATE quotas SET most = NULL "
                "WHERE tenant = slowwave_tenant() AND what = %(what)s AND most IS NOT NULL",
                {"what": what},
            )
            if not gone.rowcount:
                raise NotFound(f"there is no quota of {what}", hint="`slowwave quotas` lists them")

    def _draw(self, connection: Connection, row: Any, number: int) -> None:
        if number > row.most:
            raise Incorrect(
                f"the quota of {row.what} is {row.most}, and this needs {number} at once",
                hint="push in smaller batches, or raise it: `slowwave quotas set`",
            )
        left, period = _left(connection, row), PERIODS[row.what]
        if period is None:
            left += number  # these episodes are stored by now, and count as waiting
        if left < number:
            wait = (number - left) * period / row.most if period else WAITING_SECONDS
            raise Crowded(
                f"the quota of {row.what} is used up: {row.most} for this tenant; wait {math.ceil(wait)} s",
                retry_after_seconds=math.ceil(wait * 1000) / 1000,
                hint="wait as long as it says, or raise it: `slowwave quotas set`",
            )
        if period:
            connection.exec_driver_sql(
                "UPDATE quotas SET level = %(level)s, seen = slowwave_now() "
                "WHERE tenant = slowwave_tenant() AND what = %(what)s",
                {"level": left - number, "what": row.what},
            )


def _left(connection: Connection, row: Any) -> float:
    """Return how much of a quota can be used now. A clock that was set back adds nothing."""
    period = PERIODS[row.what]
    if period is None:
        waiting = connection.exec_driver_sql(sql("access/waiting"), {"pack": pack_of(PREPARE)}).scalar_one()
        return float(row.most - waiting)
    return min(float(row.most), float(row.level + max(row.seconds, 0.0) * row.most / period))


def _known(what: str) -> None:
    if what not in PERIODS:
        raise Incorrect(f"{what!r} is not a quota", hint=f"quotas are {', '.join(PERIODS)}")
