"""The sweep of one slice, requested by a scope in it."""

import uuid

from sqlalchemy import Connection

from slowwave.domain.job_table import SWEEP, pack_of
from slowwave.store.statements import sql


def fire_sweep(connection: Connection, scope: uuid.UUID, *, key: str, by: str) -> uuid.UUID | None:
    """Request the sweep of the slice that contains *scope*; return the slice, None if nothing is due there."""
    asked = connection.exec_driver_sql(
        sql("schedule/fire_sweep"), {"scope": scope, "job": SWEEP, "pack": pack_of(SWEEP), "key": key, "by": by}
    )
    place: uuid.UUID | None = asked.scalar_one_or_none()
    return place
