"""Claims told before a late one, about later times: in the ledger, in reviews, and in turns to be read again."""

import uuid
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection

from slowwave.core.late_arrivals import Since
from slowwave.domain.episode import StoredEpisode
from slowwave.store.inbox import episodes as inbox
from slowwave.store.late_arrivals.earlier_decisions import claim_of
from slowwave.store.statements import sql

MOST_TURNS = 200
"""Most turns that are read again for the late claims of a window; of more, the latest."""


def newest(connection: Connection, scope: uuid.UUID, before: int) -> datetime | None:
    """Return when the latest of the episodes *before* a position occurred."""
    found: datetime | None = connection.exec_driver_sql(
        sql("late_arrivals/newest"), {"scope": scope, "before": before}
    ).scalar_one()
    return found


def told_since(connection: Connection, scope: uuid.UUID, before: int, occurred: datetime) -> list[Since]:
    """Return what ended or corrected something *before* a position, in episodes later than *occurred*."""
    rows = connection.exec_driver_sql(
        sql("late_arrivals/since"), {"scope": scope, "before": before, "occurred": occurred}
    )
    return [Since(claim_of(row), row.occurred, row.place, row.asked) for row in rows]


def turns_since(
    connection: Connection, scope: uuid.UUID, before: int, occurred: datetime, words: Sequence[str]
) -> list[StoredEpisode]:
    """Return the turns *before* a position with one of these *words*, later than *occurred*, in order."""
    asked = {"scope": scope, "before": before, "occurred": occurred, "words": list(words), "most": MOST_TURNS}
    return inbox.stored(connection.exec_driver_sql(sql("late_arrivals/turns"), asked))
