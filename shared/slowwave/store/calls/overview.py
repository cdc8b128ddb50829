"""The desk at a glance: how many requests wait, and whether any may be asked."""

import uuid
from collections.abc import Collection

from sqlalchemy import Connection

from slowwave.store.statements import sql


def waiting(connection: Connection, scope: uuid.UUID | None) -> int:
    """Return how many requests wait for an answer, of one scope or of all. Served by model_requests_scope."""
    found = connection.exec_driver_sql(
        "SELECT count(*) FROM model_requests WHERE state IN ('pending', 'asked') "
        "AND (%(scope)s::uuid IS NULL OR scope = %(scope)s)",
        {"scope": scope},
    )
    return int(found.scalar_one())


def due(connection: Connection, provider: str, packs: Collection[str]) -> bool:
    """Return whether anything may be asked of *provider* now, for *packs*, or is being asked."""
    found = connection.exec_driver_sql(sql("calls/due"), {"provider": provider, "packs": list(packs)})
    return bool(found.scalar_one())
