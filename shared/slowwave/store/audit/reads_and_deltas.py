"""Audit rows of reads, with the returned memories, and of deltas, with one row per run and kind."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from slowwave.core.fold import Decision
from slowwave.domain.queries.memory import Readable, type_of
from slowwave.domain.scope import Scope
from slowwave.store.audit.log import ALL, Entry, audits, log, log_read

OPERATIONS: Mapping[str, str] = {"add": "store", "update": "update", "delete": "delete", "noop": "noop"}
"""The operation in the audit row, by the kind of the delta."""


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
    """Write an audit row which says that *verb* returned the memories *found*, if reads are audited."""
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
    """Write an audit row which says that *verb* returned the memories with these *ids*, if reads are audited.

    *scope* is the scope that was asked; None for a question to a whole tenant.
    """
    entry = Entry(
        "retrieve", memory_type, scope=scope.id if scope else None, user_id=scope.user if scope else None,
        channel=scope.channel if scope else None, session=session, affected=list(ids), result_count=len(ids),
        latency_ms=latency_ms, detail={"verb": verb},
    )  # fmt: skip
    log(connection, [entry], level="reads")


def log_decisions(
    connection: Connection, scope: uuid.UUID, decisions: Sequence[Decision], *, run: int | None, pack: str
) -> None:
    """Write what *decisions* changed: the facts they added, replaced, ended or confirmed, and how many.

    A decision that waits for a person's review is logged as not successful.
    """
    log(connection, list(_entries(scope, decisions, run, pack)))


def _entries(scope: uuid.UUID, decisions: Sequence[Decision], run: int | None, pack: str) -> Iterator[Entry]:
    for kind in (*OPERATIONS, "review"):
        alike = [decision for decision in decisions if decision.kind == kind]
        if alike:
            sessions = {decision.claim.session for decision in alike}
            yield Entry(
                OPERATIONS.get(kind, "update"),
                "semantic",
                scope=scope,
                run=run,
                session=sessions.pop() if len(sessions) == 1 else None,
                affected=list(dict.fromkeys(fact for decision in alike for fact in _facts(decision))),
                error=f"{len(alike)} for review: {alike[0].reason}" if kind == "review" else None,
                detail={kind: len(alike), "pack": pack, "rules": sorted({decision.claim.rule for decision in alike})},
                payload=[_words(decision) for decision in alike],
            )


def _facts(decision: Decision) -> tuple[uuid.UUID, ...]:
    made = (decision.id,) if decision.kind in ("add", "update") else ()
    return made + decision.replaces + ((decision.about,) if decision.kind == "noop" and decision.about else ())


def _words(decision: Decision) -> dict[str, Any]:
    claim = decision.claim
    return {
        "delta": decision.id,
        "subject": claim.subject,
        "predicate": claim.predicate,
        "object": claim.object,
        "confidence": claim.confidence,
        "reason": decision.reason,
    }
