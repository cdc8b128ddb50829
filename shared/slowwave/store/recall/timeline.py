"""The timeline of a scope: its episodes by the time at which they happened."""

import uuid
from datetime import datetime

from sqlalchemy import Connection

from slowwave.domain.episode import StoredEpisode
from slowwave.store.statements import execute

BATCH = 1_000


def messages(
    connection: Connection, scope: uuid.UUID, since: datetime, until: datetime, *, after: int
) -> list[StoredEpisode]:
    """Return the next messages and outcomes that occurred from *since* up to *until*, by position."""
    rows = execute(connection, "recall/timeline", scope=scope, since=since, until=until, after=after, most=BATCH)
    return [StoredEpisode.model_construct(**row) for row in rows.mappings()]


def latest_messages(
    connection: Connection, scope: uuid.UUID, session: str, *, after: int, before: int | None, most: int
) -> list[StoredEpisode]:
    """Return the last messages of a session between two positions, both exclusive, in order; at most *most*."""
    rows = execute(
        connection, "recall/latest_messages", scope=scope, session=session, after=after, before=before, most=most
    )
    return [StoredEpisode.model_construct(**row) for row in rows.mappings()][::-1]
