"""Entities. An entity is created with its first fact, fades if it is not used, and is tombstoned if no fact is left."""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence

from sqlalchemy import Connection

from slowwave.core.fold import Decision, Version
from slowwave.core.graph.edges import ends, entity_id, spelled
from slowwave.core.predicates import Predicates
from slowwave.store.direct import send
from slowwave.store.memory_state.standing import Key
from slowwave.store.statements import execute, sql
from slowwave.store.transaction import registry_of

TIER = "cold"
"""The tier in the standing of an entity. Entities have no tier, but a standing must name a tier."""


def mentioned(connection: Connection, scope: uuid.UUID, decisions: Sequence[Decision]) -> None:
    """Create the entities of new facts. An entity is due for a check if *decisions* end facts about it and add none."""
    opened, closed = _changed(decisions)
    if not opened and not closed:
        return
    registry = registry_of(connection)
    names = _named(scope, opened, registry)
    named(connection, scope, names)
    if bereft := _named(scope, closed, registry).keys() - names.keys():
        connection.exec_driver_sql(
            "UPDATE entities SET due = slowwave_now() WHERE scope = %(scope)s AND entity = ANY(%(entities)s::uuid[]) "
            "AND tombstoned IS NULL",
            {"scope": scope, "entities": sorted(bereft)},
        )


def named(connection: Connection, scope: uuid.UUID, names: Mapping[uuid.UUID, str]) -> None:
    """Create the entities with these *names*, which are given by id. Mark existing entities as seen again."""
    if names:
        send(
            connection,
            sql("memory_state/entities_mentioned"),
            {
                "scope": scope,
                "entities": list(names),
                "names": list(names.values()),
                "spelled": [spelled(name) for name in names.values()],
                "tier": TIER,
            },
        )


def about(connection: Connection, facts: Collection[Key]) -> list[Key]:
    """Return the entities that *facts* are about or name, as (scope, entity). Served by edges_pkey and
    facts_of_delta.
    """
    rows = execute(
        connection,
        "memory_state/entities_about",
        scopes=[scope for scope, _ in facts],
        facts=[fact for _, fact in facts],
    )
    return sorted({(row.scope, row.entity or entity_id(row.scope, row.subject)) for row in rows})


def of(connection: Connection, scope: uuid.UUID, decisions: Sequence[Decision]) -> set[Key]:
    """Return the subjects and objects of the fact versions that *decisions* add or end."""
    versions = [version for decision in decisions for version in (*decision.opens, *decision.closes)]
    registry = registry_of(connection) if versions else None
    return set() if registry is None else {(scope, entity) for entity in _named(scope, versions, registry)}


def touch(connection: Connection, entities: Collection[Key]) -> None:
    """Count one access of each of *entities*, because facts about them were returned.

    The caller has locked the states of *entities*.

    Served by standing_pkey and entities_pkey.
    """
    where = {"scopes": [scope for scope, _ in entities], "entities": [entity for _, entity in entities]}
    execute(connection, "memory_state/touch_entities", **where)
    connection.exec_driver_sql(
        "UPDATE entities e SET faded = NULL FROM unnest(%(scopes)s::uuid[], %(entities)s::uuid[]) AS t (scope, entity) "
        "WHERE e.scope = t.scope AND e.entity = t.entity AND e.faded IS NOT NULL",
        where,
    )


def mark_faded(connection: Connection, entities: Iterable[tuple[uuid.UUID, uuid.UUID]]) -> int:
    """Record that *entities*, given as (scope, entity), have faded below their floor; return the number of changes."""
    pairs = sorted(entities)
    marked = execute(
        connection,
        "memory_state/fade_entities",
        scopes=[scope for scope, _ in pairs],
        entities=[entity for _, entity in pairs],
    )
    return marked.rowcount


def _changed(decisions: Sequence[Decision]) -> tuple[list[Version], list[Version]]:
    """Return the fact versions that *decisions* add and do not end again, and the versions that *decisions* end."""
    opened: dict[Version, None] = {}
    closed: list[Version] = []
    for decision in decisions:
        for version in decision.closes:
            opened.pop(version, None)
            closed.append(version)
        opened |= dict.fromkeys(decision.opens)
    return list(opened), closed


def _named(scope: uuid.UUID, versions: Iterable[Version], registry: Predicates) -> dict[uuid.UUID, str]:
    """Return the names of the subjects and objects of *versions*, by entity."""
    edge_ends = (ends(version, registry) for version in versions)
    names = dict.fromkeys(reversed([name for one in edge_ends if one is not None for name in one.names]))
    return {entity_id(scope, name): name for name in reversed(names)}  # with two spellings, the last one
