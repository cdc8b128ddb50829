"""The explanation of a fact: its deltas, their rules, and the words they cite."""

import uuid
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.domain.claim import Origin
from slowwave.domain.explanation import Evidence, Explanation, Replaced, Step
from slowwave.domain.scope import Scope
from slowwave.store.beliefs.deltas import ERASED, text_of
from slowwave.store.statements import sql


def why(connection: Connection, fact: uuid.UUID) -> Explanation | None:
    """Return why a fact is or was believed, None if there is no such fact here."""
    rows = connection.exec_driver_sql(sql("beliefs/why"), {"fact": fact}).mappings().all()
    if not rows:
        return None
    held = connection.exec_driver_sql(sql("beliefs/why_held"), {"fact": fact}).one()
    steps = tuple(_step(row) for row in rows)
    scope = Scope(held.tenant, held.user_id, held.agent, held.channel)
    return Explanation(fact, held.text, held.held, steps, held.form, held.tense, scope, held.until)


def _step(row: Any) -> Step:
    return Step(
        delta=row["id"],
        kind=row["kind"],
        text=text_of(row["payload"]) or ERASED,
        rule=row["rule"],
        reason=(row["payload"] or {}).get("reason", ERASED),
        confidence=row["confidence"],
        recorded=row["recorded"],
        run=row["run"],
        replaces=tuple(_replaced(item) for item in row["replaces"] or ()),
        evidence=tuple(_evidence(item) for item in row["evidence"] or ()),
        origins=tuple(
            Origin(name, uuid.UUID(scope), uuid.UUID(memory)) for name, scope, memory in row["origins"] or ()
        ),
    )


def _replaced(item: dict[str, Any]) -> Replaced:
    recorded = datetime.fromisoformat(item["recorded"])
    return Replaced(uuid.UUID(item["fact"]), text_of(item["payload"]) or ERASED, item["rule"], recorded)


def _evidence(item: dict[str, Any]) -> Evidence:
    return Evidence(
        episode=uuid.UUID(item["episode"]),
        key=item["key"],
        position=item["position"],
        occurred=datetime.fromisoformat(item["occurred"]),
        session=item["session"],
        speaker=item["speaker"],
        content=item["content"],
        words=item["content"][item["start"] : item["end"]],
        channel=item["channel"],
        start=item["start"],
    )
