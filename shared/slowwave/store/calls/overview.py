"""The desk at a glance: how many requests wait, and whether any may be asked."""

import uuid
from collections.abc import Collection

from sqlalchemy import Connection

from slowwave.store.statements import sql


def waiting(connection: Connection, scope: uuid.UUID | None) -> int:
    """Return how many requests that a window waits for have no answer yet, of one scope or of all."""
    return int(connection.exec_driver_sql(sql("calls/waiting"), {"scope": scope}).scalar_one())


def due(connection: Connection, provider: str, packs: Collection[str]) -> bool:
    """Return whether anything may be asked of *provider* now, for *packs*, or is being asked."""
    found = connection.exec_driver_sql(sql("calls/due"), {"provider": provider, "packs": list(packs)})
    return bool(found.scalar_one())
