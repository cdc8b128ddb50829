"""Withdrawals: deltas by which a job ends a belief; each cites the sources of the fact itself."""

import uuid
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection

from slowwave.core.withdrawal import withdraw
from slowwave.domain.claim import Source
from slowwave.domain.job_table import pack_of
from slowwave.store.beliefs import held_facts
from slowwave.store.beliefs.apply import apply_decisions
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
    """Withdraw *facts* of a scope under the *policy* of a *job* and drop their standing; return how many were held.

    The caller has locked the scope's lease row; *after* is the last recorded time there.
    """
    held_now, sources = held_facts.open_of_facts(connection, scope, facts), sources_of(connection, facts)
    prints = fingerprinter(connection)
    decisions = [
        withdraw(
            held_now[fact],
            id=uuid.uuid5(scope, f"{job}/{fact}"),
            rule=f"{job}/{policy}",
            reason=reason,
            at=at,
            sources=sources[fact],
            fingerprint=prints.fact,
        )
        for fact in facts
        if fact in held_now
    ]
    apply_decisions(connection, scope, decisions, run=run, pack=pack_of(job), after=after, vectors={}, space=0)
    connection.exec_driver_sql(
        "DELETE FROM standing WHERE scope = %(scope)s AND memory = ANY(%(memories)s::uuid[])",
        {"scope": scope, "memories": list(facts)},
    )
    return len(decisions)


def sources_of(connection: Connection, facts: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[Source]]:
    """Return the sources of *facts*, in order, by fact. Served by the primary key delta_sources_pkey."""
    rows = connection.exec_driver_sql(
        "SELECT delta, episode, key, position, span_start, span_end, origin FROM delta_sources "
        "WHERE delta = ANY(%(facts)s::uuid[]) ORDER BY delta, ordinal",
        {"facts": list(facts)},
    )
    found: dict[uuid.UUID, list[Source]] = {}
    for fact, *source in rows:
        found.setdefault(fact, []).append(Source(*source))
    return found
