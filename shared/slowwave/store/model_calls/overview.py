"""An overview of model requests: how many are pending, and whether any may be sent."""

import uuid
from collections.abc import Collection

from sqlalchemy import Connection

from slowwave.store.statements import sql


def waiting(connection: Connection, scope: uuid.UUID | None) -> int:
    """Return how many pending requests a window or a job waits for, in one scope or in all."""
    return int(connection.exec_driver_sql(sql("model_calls/count_pending"), {"scope": scope}).scalar_one())


def due(connection: Connection, provider: str, packs: Collection[str]) -> bool:
    """Return whether a request of *packs* may be sent to *provider* now, or is being sent."""
    found = connection.exec_driver_sql(sql("model_calls/may_send"), {"provider": provider, "packs": list(packs)})
    return bool(found.scalar_one())
