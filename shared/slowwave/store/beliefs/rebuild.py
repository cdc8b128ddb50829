"""The rebuild of beliefs from the ledger alone, for comparison with the fact table."""

import uuid
from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection

from slowwave.core.ledger import Belief, Entry, fold
from slowwave.core.time_spans import BEGINNING, END, Span


def rebuilt(connection: Connection, scope: uuid.UUID) -> tuple[set[Belief], set[Belief]]:
    """Return the versions that a scope's ledger folds to, and those in its fact table; a difference is a defect.

    The fold needs only the skeleton of the ledger: no episode, no payload.
    """
    entries = connection.exec_driver_sql(
        "SELECT id, kind, belief, replaces, valid IS NOT NULL AS ranged, lower(valid) AS lo, upper(valid) AS hi, "
        "recorded, confidence FROM deltas WHERE scope = %(scope)s ORDER BY recorded",
        {"scope": scope},
    )
    ledger = (
        Entry(
            row.id,
            row.kind,
            row.belief,
            tuple(row.replaces),
            _span(row.lo, row.hi) if row.ranged else None,
            row.recorded,
            row.confidence,
        )
        for row in entries
    )
    return set(fold(ledger)), set(_table(connection, scope))


def _table(connection: Connection, scope: uuid.UUID) -> Iterable[Belief]:
    rows = connection.exec_driver_sql(
        "SELECT fact, belief, lower(valid) AS lo, upper(valid) AS hi, lower(recorded) AS opened, "
        "upper(recorded) AS closed, confidence FROM facts WHERE scope = %(scope)s",
        {"scope": scope},
    )
    for row in rows:
        yield Belief(row.fact, row.belief, _span(row.lo, row.hi), row.opened, row.closed, row.confidence)


def _span(lo: datetime | None, hi: datetime | None) -> Span:
    return Span(lo or BEGINNING, hi or END)
