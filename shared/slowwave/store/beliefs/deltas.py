"""Reads of the ledger's deltas, one page at a time, in the order in which the deltas were applied."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.domain.delta import AppliedDelta, Kind, parse_delta
from slowwave.domain.fact import in_words
from slowwave.domain.scope import Scope
from slowwave.errors import NotFound
from slowwave.store import advisory_locks, transaction
from slowwave.store.statements import execute

ERASED = "erased"
"""The placeholder for a delta's erased text."""
_PAYLOAD = ("subject", "predicate", "object", "single_valued", "form", "text", "tense")
"""The fields of a fact's payload; payloads from before facts had forms lack the last three fields."""


def text_of(payload: dict[str, Any] | None) -> str:
    """Return the text of a delta's claim, or an empty text if the claim's text was erased."""
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
    """Return at most *most* deltas of a tenant, or only of its *scopes*, in the order in which they were applied.

    *run* and *kind* select the deltas of one run and of one kind. *since* and *before* limit the recorded time: *since*
    is included, *before* is excluded. The page begins after the delta *after*. Raises `NotFound` if the delta *after*
    does not exist.
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
    return [_delta(row) for row in execute(connection, "beliefs/deltas", **wanted).mappings()]


def horizon(connection: Connection) -> datetime:
    """Return the time before which no delta of the tenant will be recorded any more.

    The next statement of the transaction sees every delta that was recorded before this time. This holds as long as the
    database clock is not set back.
    """
    now = transaction.now(
        connection
    )  # before the locks are read: a transaction that takes its lock later records later
    # times
    at = execute(connection, "beliefs/horizon", now=now, lock=advisory_locks.RECORDING).scalar_one()
    assert isinstance(at, datetime)
    return at


def _recorded(connection: Connection, delta: uuid.UUID) -> datetime:
    """Return the time at which a delta was applied. Served by the primary key deltas_pkey."""
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
        claim=(payload["subject"], payload["predicate"], payload["object"]) if payload else None,
        text=text_of(payload),
        delta=parse_delta(fields),
    )
