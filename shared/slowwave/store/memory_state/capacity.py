"""The capacity of tiers. A tier that exceeds its capacity fires the sweep at once, before its schedule is due."""

import uuid
from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection

from slowwave.domain.job_table import SWEEP
from slowwave.store.schedule import schedule
from slowwave.store.transaction import policy_of

CAPACITY = f"{SWEEP}/capacity"


def entered(connection: Connection, tiers: Iterable[tuple[uuid.UUID, str]], *, now: datetime) -> None:
    """Fire the trigger `capacity` for each (scope, tier) with more memories than the tier may hold.

    The trigger fires at most once per minute.
    """
    tiers_in_force = policy_of(connection).tiers
    for scope, tier in sorted(set(tiers)):
        level = tiers_in_force.level(tier)
        if level is None or level.capacity is None or _count(connection, scope, tier) <= level.capacity:
            continue
        tenant = connection.exec_driver_sql("SELECT slowwave_tenant()").scalar_one()
        minute = now.replace(second=0, microsecond=0)
        schedule.fire_scope(
            connection, CAPACITY, scope, tenant, f"{tier}@{minute.isoformat()}", by="capacity", tier=tier
        )


def _count(connection: Connection, scope: uuid.UUID, tier: str) -> int:
    """Return the number of memories on a tier. Served by the scope's part of standing_pkey."""
    found = connection.exec_driver_sql(
        "SELECT count(*) FROM standing WHERE scope = %(scope)s AND tier = %(tier)s", {"scope": scope, "tier": tier}
    )
    return int(found.scalar_one())
