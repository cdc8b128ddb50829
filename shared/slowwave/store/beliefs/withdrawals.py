"""Deltas by which a job holds a fact no longer; each cites what the fact itself rests on."""

import uuid
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection

from slowwave.core.fold import Decision
from slowwave.core.withdrawal import withdraw
from slowwave.domain.claim import Source
from slowwave.domain.job_table import pack_of
from slowwave.store.beliefs import held, ledger
from slowwave.store.fingerprints import fingerprinter


def withdraw_facts(
    connection: Connection,
    scope: uuid.UUID,
    facts: Sequence[uuid.UUID],
    *,
    job: str,
    policy: str | None,
    reason: str,
    at: datetime,
    run: int,
    after: datetime,
) -> int:
    """Withdraw *facts* of a scope by the *policy* of a *job* and drop their standing; return how many were held.

    The transaction has locked the scope's lease row; *after* is the last time recorded there.
    """
    found = (_withdrawal(connection, scope, fact, f"{job}/{policy}", job, reason, at) for fact in facts)
    decisions = [one for one in found if one]
    ledger.apply(connection, scope, decisions, run=run, pack=pack_of(job), after=after, vectors={}, space=0)
    connection.exec_driver_sql(
        "DELETE FROM standing WHERE scope = %(scope)s AND memory = ANY(%(memories)s::uuid[])",
        {"scope": scope, "memories": list(facts)},
    )
    return len(decisions)


def _withdrawal(
    connection: Connection, scope: uuid.UUID, fact: uuid.UUID, rule: str, job: str, reason: str, at: datetime
) -> Decision | None:
    versions = held.open_of_fact(connection, scope, fact)
    if not versions:
        return None
    return withdraw(
        versions,
        id=uuid.uuid5(scope, f"{job}/{fact}"),
        rule=rule,
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
