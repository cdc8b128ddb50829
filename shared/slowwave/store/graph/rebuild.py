"""The rebuild of the graph from facts and ledger, and the comparison of the rebuilt graph with the stored graph."""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.core.graph.edges import Edge, Ends, Pair, classes, ends, entity_id, frequencies
from slowwave.domain.scope import Scope
from slowwave.store import transaction
from slowwave.store.memory_state.entities import named
from slowwave.store.statements import execute, exists
from slowwave.store.transaction import registry_of
from slowwave.store.work_queue import leases

BATCH = 1_000
"""Facts per statement. The server ends a transaction that sends no statement for some seconds."""
Seen = Callable[[Any], Ends | None]
"""A function that maps a fact to the ends of its edge, or to None."""


def differences(connection: Connection, scope: uuid.UUID) -> str | None:
    """Return a description of the differences between a scope's stored graph and its facts; None without differences.

    A stored edge keeps its two entities, even if the predicate registry was changed after the edge was stored. A scope
    whose graph was never built has no differences.
    """
    if not begun(connection, scope):
        return None
    stored = {edge.fact: edge for edge in _edges(connection, scope)}
    expected = _expected_edges(connection, scope, _as_stored(connection, stored))
    should = {edge.fact: _with_stored_weight(edge, stored.get(edge.fact)) for edge in expected}
    entities = _entities(connection, scope)
    found = {
        "edges": len(should.items() ^ stored.items()),
        "frequencies": len(
            frequencies(should.values()).items()
            ^ {row.entity: row.frequency for row in entities if row.frequency}.items()
        ),
        "names": len(
            classes(scope, should.values(), _near(entities)).items()
            ^ {row.entity: row.same_as for row in entities if row.same_as}.items()
        ),
    }
    return ", ".join(f"{many} {what} differ" for what, many in found.items() if many) or None


def _with_stored_weight(edge: Edge, stored: Edge | None) -> Edge:
    """Return *edge*. If its fact is not believed any more, nothing uses the weight, so return the stored weight."""
    return edge if stored is None or edge.active else replace(edge, weight=stored.weight)


def rebuild(connection: Connection, scope: Scope) -> int:
    """Rebuild the graph of *scope* from its facts with the present predicate registry; return the number of edges.

    Raises `Conflict` while a worker holds the scope.
    """
    leases.take_by_hand(connection, scope)
    return make(connection, scope.id, run=None, at=transaction.now(connection))


def begun(connection: Connection, scope: uuid.UUID) -> bool:
    """Return whether the graph of a scope was ever built. Served by the primary key graph_versions_pkey."""
    return exists(connection, "FROM graph_versions WHERE scope = %(scope)s", scope=scope)


def make(connection: Connection, scope: uuid.UUID, *, run: int | None, at: datetime) -> int:
    """Build the graph of a scope from all of its facts, as a new version; return the number of edges.

    The caller has locked the scope's lease row.
    """
    registry = registry_of(connection)
    should: list[Edge] = []
    facts = execute(connection, "graph/facts", scope=scope).all()
    for start in range(0, len(facts), BATCH):
        batch = [(row, ends(row, registry)) for row in facts[start : start + BATCH]]
        names = {
            entity_id(scope, name): name for _, edge_ends in batch if edge_ends is not None for name in edge_ends.names
        }
        named(connection, scope, dict(sorted(names.items())))
        edges = _edges_of(scope, batch)
        _rewrite(connection, scope, edges)
        should += edges
    recount(connection, scope, should)
    execute(connection, "graph/version", scope=scope, added=len(should), confirmed=0, ended=0, run=run, at=at)
    return len(should)


def recount(connection: Connection, scope: uuid.UUID, edges: Sequence[Edge] | None = None) -> None:
    """Recompute how often each entity of a scope is named, and which names mean the same entity.

    *edges* are all edges of the scope; if they are None, they are read.
    """
    should = _edges(connection, scope) if edges is None else edges
    known = _entities(connection, scope)
    times, same = frequencies(should), classes(scope, should, _near(known))
    execute(
        connection,
        "graph/recount",
        scope=scope,
        entities=[row.entity for row in known],
        frequencies=[times.get(row.entity, 0) for row in known],
        same=[same.get(row.entity) for row in known],
    )


def _rewrite(connection: Connection, scope: uuid.UUID, edges: Sequence[Edge]) -> None:
    execute(
        connection,
        "graph/rewrite",
        scope=scope,
        facts=[edge.fact for edge in edges],
        sources=[edge.source for edge in edges],
        relations=[edge.relation for edge in edges],
        targets=[edge.target for edge in edges],
        kinds=[edge.kind for edge in edges],
        valids=[edge.valid for edge in edges],
        weights=[edge.weight for edge in edges],
    )


def unembedded(connection: Connection, scope: uuid.UUID, space: int, *, most: int) -> list[str]:
    """Return names of entities that have no vector in an embedding space yet, oldest first."""
    rows = execute(connection, "graph/names/unembedded", scope=scope, space=space, most=most)
    return list(rows.scalars())


def _expected_edges(connection: Connection, scope: uuid.UUID, seen: Seen) -> list[Edge]:
    rows = execute(connection, "graph/facts", scope=scope)
    return _edges_of(scope, [(row, seen(row)) for row in rows])


def _edges_of(scope: uuid.UUID, facts: Iterable[tuple[Any, Ends | None]]) -> list[Edge]:
    return [
        Edge(
            row.fact,
            entity_id(scope, edge_ends.source),
            row.predicate,
            None if edge_ends.target is None else entity_id(scope, edge_ends.target),
            edge_ends.kind,
            row.valid,
            row.weight,
        )
        for row, edge_ends in facts
        if edge_ends is not None
    ]


def _as_stored(connection: Connection, stored: Mapping[uuid.UUID, Edge]) -> Seen:
    """Return a function that maps a fact to the two entities of its stored edge, or else to new entities."""
    registry = registry_of(connection)

    def seen(row: Any) -> Ends | None:
        found, edge = ends(row, registry), stored.get(row.fact)
        if found is None or edge is None or row.form != "typed":
            return found
        named_then = edge.target is not None
        return Ends(row.subject, row.object if named_then else None, edge.kind)

    return seen


def _entities(connection: Connection, scope: uuid.UUID) -> Sequence[Any]:
    """Return the stored rows of the entities of a scope. Served by the primary key entities_pkey."""
    asked = "SELECT entity, frequency, same_as, near FROM entities WHERE scope = %(scope)s ORDER BY entity"
    return connection.exec_driver_sql(asked, {"scope": scope}).all()


def _near(entities: Iterable[Any]) -> list[Pair]:
    return [(row.near, row.entity) for row in entities if row.near is not None]


def _edges(connection: Connection, scope: uuid.UUID) -> list[Edge]:
    """Return the edges of a scope. Served by the primary key edges_pkey."""
    rows = connection.exec_driver_sql(
        "SELECT fact, source, relation, target, kind, valid::text AS valid, weight FROM edges WHERE scope = %(scope)s",
        {"scope": scope},
    )
    return [Edge(**row) for row in rows.mappings()]
