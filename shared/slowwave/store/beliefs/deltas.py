"""The ledger read: the deltas that were applied, in their order, a page at a time."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.domain.delta import AppliedDelta, Kind, parse_delta
from slowwave.domain.fact import in_words
from slowwave.domain.scope import Scope
from slowwave.errors import NotFound
from slowwave.store import clock, locks
from slowwave.store.statements import sql

ERASED = "erased"
"""What stands where a delta's words were erased."""


def text_of(payload: dict[str, Any] | None) -> str:
    """Return what a delta decided about, in words; nothing once they were erased."""
    if not payload:
        return ""
    return payload.get("text") or in_words(payload["subject"], payload["predicate"], payload["object"])


def applied(
    connection: Connection,
    tenant: str,
    scopes: Sequence[uuid.UUID] | None,
    *,
    run: int | None = None,
    since: datetime | None = None,
    kind: Kind | None = None,
    after: uuid.UUID | None = None,
    before: datetime | None = None,
    most: int,
) -> list[AppliedDelta]:
    """Return at most *most* deltas of a tenant, or of its *scopes* alone, in the order in which they were applied.

    Those of one *run*, of one *kind*, recorded at *since* or later but *before* then, and behind the delta *after*.
    Raises `NotFound` where there is no such delta as *after*.
    """
    wanted = {
        "tenant": tenant,
        "scopes": None if scopes is None else list(scopes),
        "run": run,
        "kind": kind,
        "since": since,
        "before": before,
        "after": after,
        "after_recorded": None if after is None else _recorded(connection, after),
        "most": most,
    }
    return [_delta(row) for row in connection.exec_driver_sql(sql("beliefs/deltas"), wanted).mappings()]


def horizon(connection: Connection) -> datetime:
    """Return the moment before which nothing will be recorded in the tenant any more.

    Every delta recorded earlier is there for the next statement: an order by time that no commit overtakes, as long as
    the database's clock is not set back.
    """
    now = clock.now(connection)  # before the locks are read: who takes one later records later
    at = connection.exec_driver_sql(sql("beliefs/horizon"), {"now": now, "whose": locks.RECORDING}).scalar_one()
    assert isinstance(at, datetime)
    return at


def _recorded(connection: Connection, delta: uuid.UUID) -> datetime:
    """Return when a delta was applied. Served by deltas_pkey."""
    found: datetime | None = connection.exec_driver_sql(
        "SELECT recorded FROM deltas WHERE id = %(delta)s", {"delta": delta}
    ).scalar_one_or_none()
    if found is None:
        raise NotFound(f"there is no delta {delta}", hint="resume behind the id of a delta that was listed")
    return found


def _delta(row: Any) -> AppliedDelta:
    payload = row["payload"]
    fields = {
        "kind": row["kind"],
        "source_episode_ids": [str(episode) for episode in row["sources"]],
        "promotion_ts": row["recorded"],
        "rule_id": row["rule"],
        "confidence": row["confidence"],
        "reason": payload["reason"] if payload else ERASED,
        "valid_from": row["valid_from"],
        "valid_to": row["valid_to"],
    }
    if row["kind"] in ("update", "delete"):
        fields["replaces"] = [str(fact) for fact in row["replaces"]]
    if row["kind"] in ("add", "update"):
        fields["fact_payload"] = {name: payload[name] for name in _PAYLOAD if name in payload} if payload else {}
    return AppliedDelta(
        id=row["id"],
        scope=Scope(row["tenant"], row["user_id"], row["agent"], row["channel"]),
        run=row["run"],
        pack=row["pack"],
        fact=row["fact"],
        said=(payload["subject"], payload["predicate"], payload["object"]) if payload else None,
        text=text_of(payload),
        delta=parse_delta(fields),
    )


_PAYLOAD = ("subject", "predicate", "object", "single_valued", "form", "text", "tense")
"""What a fact's payload has; those written before there were forms lack the last three."""
