"""Audit rows of reads: which memories were handed out, by which verb, in which session."""

import uuid
from collections.abc import Sequence

from sqlalchemy import Connection

from slowwave.domain.reading.memory import Readable, type_of
from slowwave.domain.scope import Scope
from slowwave.store.audit.log import ALL, audits, log_read


def log_handed_out(
    connection: Connection,
    found: Sequence[Readable],
    *,
    searched: Sequence[Scope],
    verb: str,
    session: str | None,
    latency_ms: float,
    question: str | None = None,
) -> None:
    """Write that a *verb* handed out *found*, as far as reads are audited."""
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
