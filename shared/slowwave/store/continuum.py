"""Entries of tiered memory: episodes that were given a tier and an importance when they were stored."""

import uuid
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from slowwave.domain.continuum import MemoryEntry
from slowwave.domain.standing import Standing
from slowwave.store import audit, standing
from slowwave.store.places import time_of
from slowwave.store.statements import sql


def place(connection: Connection, scope: uuid.UUID, id_: uuid.UUID, *, tier: str, importance: float) -> None:
    """Let a stored episode stand on *tier*, unless it stands somewhere already."""
    now = time_of(connection)
    standing.born(connection, {(scope, id_): Standing("episodic", "stated", tier, importance, now)})
    said = {"tier": tier, "importance": importance}
    audit.log_write(connection, "store", "episodic", scope=scope, affected=[id_], detail=said)


def entries(connection: Connection, scope: uuid.UUID, ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, MemoryEntry]:
    """Return the entries with these ids, as far as they are there."""
    entry = standing.policy_of(connection).ladder.entry
    rows = connection.exec_driver_sql(
        sql("continuum_entries"), {"scope": scope, "ids": list(ids), "entry": entry}
    ).mappings()
    return {row["id"]: _entry(row) for row in rows}


def held(connection: Connection, scope: uuid.UUID, tiers: Sequence[str], *, most: int) -> list[MemoryEntry]:
    """Return what stands on *tiers*, the most important first."""
    rows = connection.exec_driver_sql(
        sql("continuum_context"), {"scope": scope, "tiers": list(tiers), "most": most}
    ).mappings()
    return [_entry(row) for row in rows]


def _entry(row: Any) -> MemoryEntry:
    metadata = dict(row["metadata"])
    source, topic = str(metadata.pop("source", "")), str(metadata.pop("topic", ""))
    return MemoryEntry(row["id"], row["content"], row["tier"], row["base"], source, topic, metadata)
