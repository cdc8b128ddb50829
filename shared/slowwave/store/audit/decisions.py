"""Audit rows of deltas: one per run and kind, since each delta is a ledger row already."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from slowwave.core.fold import Decision
from slowwave.store.audit.log import Entry, log

OPERATIONS: Mapping[str, str] = {"add": "store", "update": "update", "delete": "delete", "noop": "noop"}
"""The operation in the audit row, by the kind of the delta."""


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
