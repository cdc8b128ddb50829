"""Claims told before a late one, about later times: in the ledger, in reviews, and in turns to be read again."""

import uuid
from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import Connection

from slowwave.core.late_arrivals import Since
from slowwave.domain.episode import StoredEpisode
from slowwave.store.inbox import episodes as inbox
from slowwave.store.late_arrivals.earlier_decisions import claim_of, recorded_deltas
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


def behind(connection: Connection, scope: uuid.UUID, facts: Collection[uuid.UUID]) -> list[Since]:
    """Return the claims of packs that made *facts* or confirmed them, with the places of their first decisions.

    Served by deltas_pkey and deltas_confirming.
    """
    made = {row.root for row in recorded_deltas(connection, scope, facts)}
    confirmed = connection.exec_driver_sql(
        "SELECT coalesce(again, id) FROM deltas "
        "WHERE scope = %(scope)s AND kind = 'noop' AND fact = ANY(%(facts)s::uuid[])",
        {"scope": scope, "facts": list(made.union(facts))},
    ).scalars()
    rows = recorded_deltas(connection, scope, made.union(confirmed))
    return [Since(claim_of(row), row.occurred, row.place) for row in rows if "claim" in row.payload and row.occurred]


def turns_since(
    connection: Connection, scope: uuid.UUID, before: int, occurred: datetime, words: Sequence[str]
) -> list[StoredEpisode]:
    """Return the turns *before* a position with one of these *words*, later than *occurred*, in order."""
    asked = {"scope": scope, "before": before, "occurred": occurred, "words": list(words), "most": MOST_TURNS}
    return inbox.stored(connection.exec_driver_sql(sql("late_arrivals/turns"), asked))
