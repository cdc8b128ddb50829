"""The rows that an erasure affects in one scope: episodes, deltas that cite the episodes, their facts and entities."""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.core.beliefs.versions import Version
from slowwave.core.graph.edges import entity_id
from slowwave.core.tool_attempts import name
from slowwave.store import transaction
from slowwave.store.beliefs.affected_facts import version
from slowwave.store.statements import execute

_EPISODES = """
SELECT e.session, e.kind, e.received, CASE WHEN e.kind IN ('tool_call', 'outcome') THEN e.metadata END AS metadata
FROM episode_keys AS k
JOIN episodes AS e ON (e.scope, e.position, e.received) = (k.scope, k.position, k.received)
WHERE k.scope = %(scope)s AND k.position = ANY(%(positions)s::bigint[])
"""
_REGROW = """
SELECT EXISTS (
    SELECT FROM tree_nodes
    WHERE scope = %(scope)s AND (facts && %(facts)s::uuid[] OR node = ANY(%(facts)s::uuid[]))
)
"""
_KEYS = "SELECT id FROM episode_keys WHERE scope = %(scope)s AND position = ANY(%(positions)s::bigint[])"
_ABOUT = """
SELECT id FROM deltas WHERE scope = %(scope)s AND (%(everything)s OR fact = ANY(%(facts)s::uuid[]))
"""
_BESIDE = """
SELECT id FROM deltas
WHERE scope = %(scope)s AND replaces && %(facts)s::uuid[] AND id <> ALL(%(deltas)s::uuid[])
    AND NOT coalesce(fact = ANY(%(facts)s::uuid[]), false)
"""
_NAMELESS = """
SELECT e.entity, e.name FROM entities AS e
WHERE
    e.scope = %(scope)s AND e.entity = ANY(%(entities)s::uuid[])
    AND NOT EXISTS (
        SELECT FROM edges AS g
        WHERE g.scope = e.scope AND e.entity IN (g.source, g.target) AND g.fact <> ALL(%(facts)s::uuid[])
    )
"""
_NAMED = """
SELECT subject, object FROM facts
WHERE scope = %(scope)s AND fact <> ALL(%(facts)s::uuid[]) AND predicate <> '_erased'
"""


@dataclass(frozen=True, slots=True)
class Hit:
    """The rows that an erasure affects in one scope: episodes (*positions*, *ids*), and their *deltas* and *facts*."""

    everything: bool
    positions: list[int]
    deltas: list[uuid.UUID]
    facts: list[uuid.UUID]
    ids: list[uuid.UUID]
    sessions: list[str]
    tasks: list[str]
    tools: list[str]
    since: datetime


def hit_by(connection: Connection, scope: uuid.UUID, target: Any, erasure: uuid.UUID) -> Hit:
    """Return the rows that *target* covers. Locks the scope's row, so that pushes wait for the transaction."""
    head = execute(connection, "inbox/lock", scopes=[scope]).one().head
    positions = list(range(1, head + 1)) if target.everything else list(target.positions)
    asked = {"erasure": erasure, "scope": scope, "everything": target.everything, "positions": positions}
    cited = execute(connection, "erasure/cited", **asked).all()
    made = {row.id for row in cited if row.kind in ("add", "update")}
    episodes = connection.exec_driver_sql(_EPISODES, asked).all()
    calls = [row.metadata for row in episodes if row.kind in ("tool_call", "outcome")]
    return Hit(
        target.everything,
        positions,
        [row.id for row in cited],
        sorted(made | _facts_in(connection, scope, target.memories)),
        [row.id for row in connection.exec_driver_sql(_KEYS, asked)],
        sorted({row.session for row in episodes}),
        sorted({name(call.get(field)) for call in calls for field in ("task", "context_pattern")}),
        sorted({name(tool) for call in calls for tool in [call.get("tool"), *_listed(call.get("tools"))]} - {""}),
        min((row.received for row in episodes), default=transaction.now(connection)),
    )


def _listed(tools: object) -> list[object]:
    return tools if isinstance(tools, list) else []


def _facts_in(connection: Connection, scope: uuid.UUID, memories: Sequence[uuid.UUID]) -> set[uuid.UUID]:
    asked = {"scope": scope, "facts": list(memories)}
    return {row.fact for row in execute(connection, "erasure/versions", **asked)} if memories else set()


def versions_of(connection: Connection, scope: uuid.UUID, facts: Sequence[uuid.UUID]) -> list[tuple[Version, bool]]:
    """Return every version of *facts* whose words are not erased, with True if the version is open."""
    rows = execute(connection, "erasure/versions", scope=scope, facts=list(facts))
    return [(version(row), row.open) for row in rows]


def about(connection: Connection, scope: uuid.UUID, hit: Hit) -> set[uuid.UUID]:
    """Return the deltas whose payloads are erased: they cite erased words, or are about facts from erased words."""
    asked = {"scope": scope, "everything": hit.everything, "facts": hit.facts}
    return {*hit.deltas, *connection.exec_driver_sql(_ABOUT, asked).scalars()}


def beside(connection: Connection, scope: uuid.UUID, hit: Hit) -> list[uuid.UUID]:
    """Return the deltas that replaced an erased fact by another fact: their reasons name the erased fact."""
    asked = {"scope": scope, "facts": hit.facts, "deltas": hit.deltas}
    return list(connection.exec_driver_sql(_BESIDE, asked).scalars()) if hit.facts else []


def ended(connection: Connection, scope: uuid.UUID, hit: Hit) -> list[str]:
    """Return the sessions that have no episode left."""
    asked = {"scope": scope, "sessions": hit.sessions, "positions": hit.positions}
    left = connection.exec_driver_sql(
        "SELECT DISTINCT session FROM episodes WHERE scope = %(scope)s AND session = ANY(%(sessions)s::text[]) "
        "AND position <> ALL(%(positions)s::bigint[])",
        asked,
    ).scalars()
    return sorted(set(hit.sessions) - set(left))


def regrows(connection: Connection, scope: uuid.UUID, facts: Sequence[uuid.UUID]) -> bool:
    """Return whether any node of the tree of summaries was built from *facts*."""
    return bool(connection.exec_driver_sql(_REGROW, {"scope": scope, "facts": list(facts)}).scalar_one())


def nameless(connection: Connection, scope: uuid.UUID, names: Collection[str], hit: Hit) -> list[uuid.UUID]:
    """Return the ids of those entities named in *names* that no remaining fact mentions."""
    of = {entity_id(scope, each): each for each in names}
    asked = {"scope": scope, "entities": list(of), "facts": hit.facts}
    rows = connection.exec_driver_sql(_NAMELESS, asked).all()
    named = connection.exec_driver_sql(_NAMED, asked) if rows else ()
    remaining = {name.lower() for row in named for name in row}  # compared here, because objects may be encrypted
    return [row.entity for row in rows if row.name.lower() not in remaining]
