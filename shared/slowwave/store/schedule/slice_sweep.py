"""The sweep of the slice that contains a scope. A slice is a sixteenth of a tenant's scopes."""

import uuid
from collections.abc import Callable

from sqlalchemy import Connection

from slowwave.domain.job_table import SWEEP, pack_of
from slowwave.store.direct import ask
from slowwave.store.statements import sql


def fire_sweep(connection: Connection, scope: uuid.UUID, *, key: str, by: str) -> Callable[[], uuid.UUID | None]:
    """Request the sweep of the slice that contains *scope*; return a function that waits for the result.

    That function returns the slice, or None if no memory of the slice is due.
    """
    asked = {"scope": scope, "job": SWEEP, "pack": pack_of(SWEEP), "key": key, "by": by}
    rows = ask(connection, sql("schedule/fire_sweep"), asked)
    return lambda: rows().scalar_one_or_none()
