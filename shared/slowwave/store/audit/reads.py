"""Audit rows of reads: which memories were returned, by which verb, in which session."""

import uuid
from collections.abc import Sequence

from sqlalchemy import Connection

from slowwave.domain.queries.memory import Readable, type_of
from slowwave.domain.scope import Scope
from slowwave.store.audit.log import ALL, Entry, audits, log, log_read


def log_returned(
    connection: Connection,
    found: Sequence[Readable],
    *,
    searched: Sequence[Scope],
    verb: str,
    session: str | None,
    latency_ms: float,
    question: str | None = None,
) -> None:
    """Write that a *verb* returned *found*, if reads are audited."""
    if not audits(connection, "reads"):
        return
    kinds = {type_of(one) for one in found}
    of: dict[Scope, list[uuid.UUID]] = {}
    for one in found:
        if one.scope is not None:
            of.setdefault(one.scope, []).append(one.id)
    log_read(
        connection, question, memory_type=kinds.pop() if len(kinds) == 1 else ALL, searched=searched, found=of,
        latency_ms=latency_ms, session=session, verb=verb,
    )  # fmt: skip


def log_lookup(
    connection: Connection,
    ids: Sequence[uuid.UUID],
    *,
    memory_type: str,
    scope: Scope | None,
    verb: str,
    session: str | None,
    latency_ms: float,
) -> None:
    """Write that a *verb* returned the memories with these *ids*, if reads are audited.

    *scope* is the scope of the question, None for a question about a tenant.
    """
    entry = Entry(
        "retrieve", memory_type, scope=scope.id if scope else None, user_id=scope.user if scope else None,
        channel=scope.channel if scope else None, session=session, affected=list(ids), result_count=len(ids),
        latency_ms=latency_ms, detail={"verb": verb},
    )  # fmt: skip
    log(connection, [entry], level="reads")
