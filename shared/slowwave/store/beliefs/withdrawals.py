"""Deltas by which a job holds a fact no longer; each cites what the fact itself rests on."""

import uuid
from datetime import datetime

from sqlalchemy import Connection

from slowwave.core.fold import Decision
from slowwave.core.withdrawal import withdraw
from slowwave.domain.claim import Source
from slowwave.store.beliefs import held
from slowwave.store.fingerprints import fingerprinter


def withdrawal(
    connection: Connection,
    scope: uuid.UUID,
    fact: uuid.UUID,
    *,
    job: str,
    policy: str | None,
    reason: str,
    at: datetime,
) -> Decision | None:
    """Return the delta that holds *fact* no longer, by the *policy* of a *job*; None where nothing of it is held."""
    versions = held.open_of_fact(connection, scope, fact)
    if not versions:
        return None
    return withdraw(
        versions,
        id=uuid.uuid5(scope, f"{job}/{fact}"),
        rule=f"{job}/{policy}",
        reason=reason,
        at=at,
        sources=_sources(connection, fact),
        fingerprint=fingerprinter(connection).fact,
    )


def _sources(connection: Connection, fact: uuid.UUID) -> list[Source]:
    """Return what *fact* rests on. Served by delta_sources_pkey."""
    rows = connection.exec_driver_sql(
        "SELECT episode, key, position, span_start, span_end, origin FROM delta_sources "
        "WHERE delta = %(fact)s ORDER BY ordinal",
        {"fact": fact},
    )
    return [Source(*row) for row in rows]
