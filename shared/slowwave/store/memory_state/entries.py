"""Entries of tiered memory. An entry is an episode that is stored with a tier and an importance."""

import uuid
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Connection

from slowwave.core.capture import CAPTURED
from slowwave.domain.continuum import MemoryEntry
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.domain.standing import Standing
from slowwave.ports import StoreState
from slowwave.store import transaction
from slowwave.store.audit import log as audit
from slowwave.store.memory_state import standing
from slowwave.store.statements import execute
from slowwave.store.transaction import policy_of

Items = Sequence[tuple[Scope, Episode]]
Writer = Callable[[Connection, Items, Sequence[StoreState]], None]

BASE = 0.5
"""The importance of a captured call if the tier defines no importance."""


def put_on(connection: Connection, scope: uuid.UUID, id_: uuid.UUID, *, tier: str, importance: float) -> None:
    """Create the state of a stored episode on *tier*, unless the episode has a state already."""
    now = transaction.now(connection)
    standing.create(connection, {(scope, id_): Standing("episodic", "stated", tier, importance, now)})
    fields = {"tier": tier, "importance": importance}
    audit.log_write(connection, "store", "episodic", scope=scope, affected=[id_], detail=fields)


def putting_on(scope: uuid.UUID, *, tier: str, importance: float) -> Writer:
    """Return a function for a push, which puts episodes on *tier* in the transaction that stores the episodes."""

    def put_all(connection: Connection, _items: Items, stored: Sequence[StoreState]) -> None:
        for one in stored:
            if one.state != "conflict":
                put_on(connection, scope, one.id, tier=tier, importance=importance)

    return put_all


def put_captured(connection: Connection, items: Items, stored: Sequence[StoreState]) -> None:
    """Put captured tool calls on the hottest tier, in the transaction that stores the tool calls."""
    captured = [
        (scope.id, one.id)
        for (scope, episode), one in zip(items, stored, strict=True)
        if one.state == "stored" and episode.kind == "tool_call" and episode.metadata.get("type") == CAPTURED
    ]
    if captured:
        level, now = policy_of(connection).tiers.levels[0], transaction.now(connection)
        base = level.importance[0] if level.importance else BASE
        standing.create(connection, dict.fromkeys(captured, Standing("episodic", "stated", level.name, base, now)))


def entries(connection: Connection, scope: uuid.UUID, ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, MemoryEntry]:
    """Return the existing entries with these ids."""
    entry = policy_of(connection).tiers.entry
    rows = execute(connection, "memory_state/entries", scope=scope, ids=list(ids), entry=entry).mappings()
    return {row["id"]: _entry(row) for row in rows}


def most_important(connection: Connection, scope: uuid.UUID, tiers: Sequence[str], *, most: int) -> list[MemoryEntry]:
    """Return at most *most* entries on *tiers*, the most important first."""
    rows = execute(connection, "memory_state/entries_context", scope=scope, tiers=list(tiers), most=most).mappings()
    return [_entry(row) for row in rows]


def _entry(row: Any) -> MemoryEntry:
    metadata = dict(row["metadata"])
    source, topic = str(metadata.pop("source", "")), str(metadata.pop("topic", ""))
    return MemoryEntry(row["id"], row["content"], row["tier"], row["base"], source, topic, metadata)
