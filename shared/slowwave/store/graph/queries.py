"""Reads of the graph: entities by name or meaning, the edges between entities hop by hop, and the graph's versions."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection

from slowwave.core.graph.edges import entity_id
from slowwave.core.graph.mentions import TEXTS, described
from slowwave.core.graph.path_search import Key, Link, Onward
from slowwave.domain.graph import ConceptNode, Glimpse, GraphVersion, RelationshipEdge
from slowwave.domain.scope import Scope
from slowwave.errors import NotFound
from slowwave.ports import Vectors
from slowwave.store.blocks.binary_results import Asked, execute_binary
from slowwave.store.statements import execute, sql
from slowwave.store.transaction import registry_of

MOST_A_NODE = 40
"""The maximum number of edges of one entity that a walk follows in each direction, the heaviest first. A hub has
thousands of edges.
"""
MOST_LOOKED_AT = 2_000
"""The maximum number of edges of one name that are searched for the relations of a question, in each direction."""
MOST_OF_ANY = 12
"""The maximum number of edges of one entity that a walk follows along relations that the question does not name."""
MOST_NAMES = 20
"""The maximum number of other names of an entity from which a walk continues."""
MOST_EDGES = 2_000
"""The maximum number of edges of a walk."""
MOST_NODES = 400
"""The maximum number of entities from which a walk continues at each hop."""
LOOKED_AT = 20
"""The maximum number of properties of an entity, and of facts about the entity's kind, that are read."""
BY_HAND = "_graph/by_hand"
"""The rule of a relationship that was created by hand."""


@dataclass(frozen=True, slots=True)
class Walked:
    """The result of a walk through the graph that began at *seeds*.

    It has the entities with short descriptions, the number of *hops* to each entity, and the edges between the
    entities.
    """

    seeds: Sequence[uuid.UUID]
    hops: Mapping[uuid.UUID, int]
    nodes: Mapping[uuid.UUID, Glimpse]
    edges: Sequence[RelationshipEdge]
    version: int


def known(connection: Connection, scopes: Sequence[uuid.UUID], names: Collection[str]) -> list[Key]:
    """Return the entities with any of these *names*. Entities with longer names come first."""
    return list(dict.fromkeys(key for key, _ in named(connection, scopes, names)))


def named(connection: Connection, scopes: Sequence[uuid.UUID], names: Collection[str]) -> list[tuple[Key, str]]:
    """Return the entities with any of these *names*, each with its stored name, the longest name first."""
    rows = execute_binary(connection, *asks_for_named(scopes, names))
    return [((row.scope, row.entity), row.name) for row in rows]


def asks_for_named(scopes: Sequence[uuid.UUID], names: Collection[str]) -> Asked:
    """Return the statement that `named` runs, with its parameters."""
    return sql("graph/names/known"), _entities(tuple(scopes), tuple(names))


@lru_cache(maxsize=64)
def _entities(scopes: tuple[uuid.UUID, ...], names: tuple[str, ...]) -> Mapping[str, Sequence[uuid.UUID]]:
    """Return the ids of the entities that have *names* in *scopes*, each with its scope."""
    entities = [entity_id(scope, name) for scope in scopes for name in names]
    return {"scopes": [scope for scope in scopes for _ in names], "entities": entities}


def onward(connection: Connection, at: datetime | None) -> Onward:
    """Return a function that reads the edges of given entities.

    Only edges of facts that are believed, and valid at the time *at* (None: now), are read.
    """

    def look(keys: Sequence[Key], relations: Sequence[str]) -> list[Link]:
        where = {"scopes": [scope for scope, _ in keys], "entities": [entity for _, entity in keys]}
        rows = execute_binary(
            connection,
            sql("graph/along"),
            {
                **where,
                "relations": list(relations),
                "at": at,
                "others": MOST_NAMES,
                "looked_at": MOST_LOOKED_AT,
                "most": MOST_A_NODE,
                "any": MOST_OF_ANY,
            },
        )
        return [
            Link(
                row.fact,
                row.relation,
                (row.scope, row.here),
                None if row.there is None else (row.scope, row.there),
                row.back,
            )
            for row in rows
        ]

    return look


def near(
    connection: Connection, scopes: Sequence[uuid.UUID], vector: Vectors, *, space: str, most: int
) -> dict[Key, float]:
    """Return the entities with the names nearest to *vector* in *space*, nearest first, with cosine similarities."""
    if not vector.any():
        return {}
    rows = execute(connection, "graph/names/near", scopes=list(scopes), vector=vector, space=space, most=most)
    return {(row.scope, row.entity): row.similarity for row in rows}


def near_facts(
    connection: Connection, scopes: Sequence[uuid.UUID], vector: Vectors, *, space: str, most: int, sure: float
) -> list[uuid.UUID]:
    """Return the facts nearest to *vector* in *space*, nearest first; omit facts less certain than *sure*."""
    if not vector.any():
        return []
    where = {"scopes": list(scopes), "vector": vector, "space": space, "most": most, "sure": sure}
    return list(execute(connection, "graph/names/near_facts", **where).scalars())


def nodes(
    connection: Connection, keys: Collection[Key], similarity: Mapping[Key, float] | None = None
) -> list[ConceptNode]:
    """Return the entities with these *keys*, in order, each with its *similarity* to the question."""
    if not keys:
        return []
    where = {"scopes": [scope for scope, _ in keys], "entities": [entity for _, entity in keys]}
    rows = execute(connection, "graph/nodes", **where, **_node_limits(connection))
    return [_node(row, (similarity or {}).get((row.scope, row.id))) for row in rows]


def walk(
    connection: Connection, seeds: Collection[Key], *, depth: int, at: datetime | None = None
) -> tuple[dict[Key, int], list[RelationshipEdge]]:
    """Return the entities at most *depth* hops from *seeds*, each with its number of hops, and the edges between them.

    Only edges of facts that are believed, and valid at the time *at* (None: now), are followed. The walk follows only
    the heaviest `MOST_A_NODE` edges per entity and direction, and continues from at most `MOST_NODES` entities per hop.
    """
    hops = dict.fromkeys(seeds, 0)
    edges: dict[uuid.UUID, RelationshipEdge] = {}
    frontier = list(seeds)
    for hop in range(1, depth + 1):
        if not frontier or len(edges) >= MOST_EDGES:
            break
        rows = _edges(connection, frontier, at, MOST_EDGES - len(edges))
        edges |= {row.fact: _edge(row) for row in rows}
        ends = dict.fromkeys((row.scope, end) for row in rows for end in (row.source, row.target))
        frontier = [end for end in ends if end not in hops][:MOST_NODES]
        hops |= dict.fromkeys(frontier, hop)
    return hops, [edge for edge in edges.values() if edge.source != edge.target]


def around(
    connection: Connection, scope: uuid.UUID, seeds: Sequence[Key], *, depth: int, at: datetime | None = None
) -> Walked:
    """Return a walk from *seeds*, with short descriptions of its entities, and the version of *scope*'s graph."""
    hops, edges = walk(connection, seeds, depth=depth, at=at)
    keys = list(hops)
    where = {"scopes": [scope for scope, _ in keys], "entities": [entity for _, entity in keys]}
    rows = execute(connection, "graph/known", **where)
    found = {row.id: Glimpse(row.scope, row.label, row.frequency) for row in rows}
    known_hops = {entity: hop for (_, entity), hop in hops.items() if entity in found}
    return Walked([entity for _, entity in seeds], known_hops, found, edges, newest(connection, scope))


def whole(connection: Connection, scope: uuid.UUID, *, most: int) -> tuple[list[ConceptNode], list[RelationshipEdge]]:
    """Return at most *most* entities of a scope, the most frequent first, and the scope's edges that are valid now."""
    _loops(connection, "off")
    rows = execute(connection, "graph/whole", scope=scope, most=most, **_node_limits(connection))
    found = [_node(row) for row in rows]
    edges = [_edge(row) for row in execute(connection, "graph/all_edges", scope=scope)]
    _loops(connection, "on")
    return found, [edge for edge in edges if edge.source != edge.target]


def _node_limits(connection: Connection) -> Mapping[str, Any]:
    """Return parameters of the statement for entities: limits, and the kind of subject that a relation implies."""
    of = {one.name: one.subject for one in registry_of(connection).registered if one.subject is not None}
    return {"texts": TEXTS, "looked_at": LOOKED_AT, "relations": list(of), "sorts": list(of.values())}


def _loops(connection: Connection, are: str) -> None:
    """Allow or forbid nested loops in this transaction. Without statistics of a table, the planner misjudges them."""
    connection.exec_driver_sql("SELECT set_config('enable_nestloop', %(are)s, true)", {"are": are})


def of_ids(connection: Connection, scopes: Sequence[uuid.UUID], ids: Sequence[uuid.UUID]) -> list[Key]:
    """Return the entities of *scopes* with these *ids*; omit unknown ids.

    A merged entity is replaced by the entity into which it was merged.
    """
    rows = execute(connection, "graph/of_ids", scopes=list(scopes), entities=list(ids))
    return list(dict.fromkeys((row.scope, row.entity) for row in rows))


def compared(
    connection: Connection, scope: uuid.UUID, before: int, after: int
) -> tuple[list[RelationshipEdge], list[RelationshipEdge]]:
    """Return the edges that were added to a scope's graph between the versions *before* and *after*, and the removed
    edges.

    Raises `NotFound` if a version does not exist.
    """
    where = {"scope": scope, "before": before, "after": after}
    known = connection.exec_driver_sql(
        "SELECT count(*) FROM graph_versions WHERE scope = %(scope)s AND version IN (%(before)s, %(after)s)", where
    ).scalar_one()
    if known < len({before, after}):
        raise NotFound("there is no such version of this graph", hint="`slowwave graph versions` lists them")
    rows = execute(connection, "graph/compared", **where).all()
    return [_edge(row) for row in rows if row.later], [_edge(row) for row in rows if not row.later]


def newest(connection: Connection, scope: uuid.UUID) -> int:
    """Return the present version of a scope's graph; 0 if no decision was ever made in the scope."""
    return next((one.version for one in versions(connection, scope, most=1)), 0)


def versions(connection: Connection, scope: uuid.UUID, *, most: int) -> list[GraphVersion]:
    """Return the versions of a scope's graph, the newest first."""
    rows = execute(connection, "graph/versions", scope=scope, most=most)
    return [GraphVersion(**row) for row in rows.mappings()]


def _edges(connection: Connection, keys: Sequence[Key], at: datetime | None, most: int) -> Sequence[Any]:
    where = {"scopes": [scope for scope, _ in keys], "entities": [entity for _, entity in keys]}
    return execute(connection, "graph/neighbours", **where, at=at, most=MOST_A_NODE, edges=most, by_hand=BY_HAND).all()


def _edge(row: Any) -> RelationshipEdge:
    return RelationshipEdge(
        fact=row.fact,
        source=row.source,
        target=row.target,
        type=row.relation,
        weight=row.weight,
        text=row.text,
        confidence=row.confidence,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        properties=row.properties or {},
    )


def _node(row: Any, similarity: float | None = None) -> ConceptNode:
    properties = dict(row.properties or {})
    description = properties.pop("description", "")
    facts = described(zip(row.facts or (), row.texts or (), strict=True), description)
    return ConceptNode(
        id=row.id,
        scope=Scope(row.tenant, row.user_id, row.agent, row.channel),
        label=row.label,
        aliases=tuple(row.aliases or ()),
        type=properties.pop("type", None) or properties.get("is_a") or row.kind,
        description=description or "; ".join(facts.values()),
        described_by=tuple(facts),
        frequency=row.frequency,
        properties=properties,
        first_seen=row.first_seen,
        last_seen=row.last_seen,
        similarity=similarity,
    )
