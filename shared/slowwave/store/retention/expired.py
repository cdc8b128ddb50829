"""Reads of memories past their retention at a given time. The job and the preview use the same statements."""

import uuid
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.core.decay import DecayPolicy
from slowwave.core.graph.edges import entity_id
from slowwave.core.retention_periods import Retention
from slowwave.domain.fact import SUMMARY
from slowwave.domain.standing import Standing
from slowwave.store.memory_state.standing import read
from slowwave.store.statements import execute
from slowwave.store.transaction import policy_of

Cursor = tuple[uuid.UUID, str]
"""The cursor of the archive job in a list of due items: a scope, and a session or an id."""

FIRST: Cursor = (uuid.UUID(int=0), "")


@dataclass(frozen=True, slots=True)
class Batch:
    """The result of one batch. *last* is the cursor at the end of the batch, None after the last batch."""

    counts: Counter[str] = field(default_factory=Counter)
    last: Cursor | None = None


@dataclass(frozen=True, slots=True)
class Expired:
    """Facts past their retention, each with its scope, and the cursor at which the list continues."""

    facts: Sequence[tuple[uuid.UUID, uuid.UUID]]
    last: Cursor | None = None


@dataclass(frozen=True, slots=True)
class EntityRetention:
    """An entity that retention may tombstone. *needed* is true if a believed fact is about the entity."""

    scope: uuid.UUID
    entity: uuid.UUID
    name: str
    standing: Standing
    needed: bool

    def leaves(self, retention: Retention, decay: DecayPolicy, now: datetime) -> bool:
        """Return whether the entity is to be tombstoned at *now*."""
        return not self.needed and retention.tombstones(self.standing, decay, now)


def due_conversations(
    connection: Connection, slices: Sequence[int], now: datetime, *, most: int | None = None
) -> list[Any]:
    """Return the scope, session and last touch of each conversation that is due for the archive at *now*."""
    before = policy_of(connection).retention.archive_before(now)
    if before is None:
        return []
    return list(execute(connection, "retention/due_conversations", slices=list(slices), before=before, most=most).all())


def expired_conversations(
    connection: Connection,
    slices: Sequence[int],
    now: datetime,
    *,
    after: Cursor = FIRST,
    most: int | None = None,
    also: Sequence[Cursor] = (),
    gone: Collection[uuid.UUID] = (),
) -> list[Any]:
    """Return the archived conversations past retention at *now*, each with True if a believed fact cites it.

    The conversations in *also* count as archived, and the facts in *gone* as no longer believed.
    """
    before = policy_of(connection).retention.expire_before(now)
    if before is None:
        return []
    where = {
        "slices": list(slices),
        "before": before,
        "scope": after[0],
        "session": after[1],
        "most": most,
        "also_scopes": [scope for scope, _ in also],
        "also_sessions": [session for _, session in also],
        "gone": list(gone),
    }
    return list(execute(connection, "retention/expired_conversations", **where).all())


def facts(
    connection: Connection,
    slices: Sequence[int],
    now: datetime,
    *,
    after: Cursor = FIRST,
    most: int | None = None,
    only: Sequence[uuid.UUID] | None = None,
) -> list[Any]:
    """Return the scope, memory, kind and text of facts past retention at *now*; if *only* is given, only these facts.

    The summary of a conversation stays as long as the conversation.
    """
    retention = policy_of(connection).retention
    kinds, expire_before = retention.drop_before(now), retention.expire_before(now)
    if not kinds and expire_before is None:
        return []
    where = {
        "slices": list(slices),
        "kinds": list(kinds),
        "befores": list(kinds.values()),
        "summary": SUMMARY,
        "archive_before": retention.archive_before(now),
        "expire_before": expire_before,
        "scope": after[0],
        "memory": uuid.UUID(after[1] or str(FIRST[0])),
        "most": most,
        "only": None if only is None else list(only),
    }
    return list(execute(connection, "retention/due_facts", **where).all())


def entities(
    connection: Connection,
    slices: Sequence[int],
    now: datetime,
    *,
    after: Cursor = FIRST,
    most: int | None = None,
    every: bool = False,
    gone: Collection[uuid.UUID] = (),
) -> list[EntityRetention]:
    """Return the entities due for a check by *now*, or all if *every*. The facts in *gone* count as withdrawn."""
    where = {
        "slices": list(slices),
        "now": now,
        "every": every,
        "scope": after[0],
        "entity": uuid.UUID(after[1] or str(FIRST[0])),
        "most": most,
    }
    rows = execute(connection, "retention/due_entities", **where).mappings().all()
    needed = _spoken_of(connection, {row["scope"] for row in rows}, gone)
    return [
        EntityRetention(row["scope"], row["memory"], row["name"], read(row), row["memory"] in needed) for row in rows
    ]


def lock_entities(connection: Connection, found: Sequence[EntityRetention]) -> set[tuple[uuid.UUID, uuid.UUID]]:
    """Lock the rows of these entities, in a fixed order, until the transaction ends; return their keys."""
    where = {"scopes": [one.scope for one in found], "entities": [one.entity for one in found]}
    rows = execute(connection, "retention/lock_entities", **where)
    return {(scope, entity) for scope, entity in rows}


def _spoken_of(connection: Connection, scopes: Iterable[uuid.UUID], gone: Collection[uuid.UUID]) -> set[uuid.UUID]:
    """Return the entities that are the subject or the object of a believed fact of *scopes*.

    Facts in *gone* do not count.
    """
    rows = execute(connection, "retention/referenced_entities", scopes=list(scopes), gone=list(gone))
    return {row.target or entity_id(row.scope, row.subject) for row in rows}
