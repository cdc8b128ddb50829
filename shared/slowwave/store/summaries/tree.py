"""Trees over summaries in Postgres: read for rebuilding, written, and compared."""

import uuid
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection

from slowwave.core.summaries.extractive_summary import join, split
from slowwave.domain.job_table import GROW, pack_of
from slowwave.domain.run import Run
from slowwave.errors import Conflict
from slowwave.jobs.summaries.grow import Grown, Summed, node_lines, nodes_over
from slowwave.ports import Embedder, Vectors
from slowwave.store.database import Database
from slowwave.store.embedding_spaces import space_number
from slowwave.store.runs import effects
from slowwave.store.statements import sql
from slowwave.store.summaries.session_summaries import words


class PostgresTrees:
    """A `TreeStore` of trees in the space of an embedder."""

    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder

    def leaves(self, tenant: str, scope: uuid.UUID) -> Sequence[Summed]:
        with self._database.tenant(tenant) as connection:
            return leaves(connection, scope, space_number(connection, self._embedder.space, self._embedder.dimensions))

    def kept(self, tenant: str, scope: uuid.UUID) -> Collection[uuid.UUID]:
        with self._database.tenant(tenant) as connection:
            return kept(connection, scope)


def leaves(connection: Connection, scope: uuid.UUID, space: int) -> list[Summed]:
    """Return the latest summaries of unarchived sessions of a scope, in the order of their subjects."""
    rows = connection.exec_driver_sql(sql("summaries/leaves"), {"scope": scope, "space": space}).all()
    sources = words(connection, [row.fact for row in rows])
    return [
        Summed(
            row.fact,
            row.subject,
            split(row.object, sources[row.fact]),
            None if row.embedding is None else _as_array(row.embedding),
        )
        for row in rows
    ]


def _as_array(embedding: Any) -> Vectors:
    """Return a vector from the database as an array: older versions of pgvector return numpy arrays."""
    array: Vectors = embedding if isinstance(embedding, np.ndarray) else embedding.to_numpy()
    return array


def kept(connection: Connection, scope: uuid.UUID) -> set[uuid.UUID]:
    """Return the ids of the nodes of a scope's tree. Served by tree_nodes_pkey."""
    asked = "SELECT node FROM tree_nodes WHERE scope = %(scope)s"
    return set(connection.exec_driver_sql(asked, {"scope": scope}).scalars())


@effects.write.register
def _grown(effect: Grown, connection: Connection, run: Run) -> None:
    write(connection, run.scope, effect)


def write(connection: Connection, scope: uuid.UUID, grown: Grown) -> None:
    """Replace the tree of a scope by the tree *grown*. The caller has locked the scope's lease row.

    Raises `Conflict` if the summaries have changed since.
    """
    space = space_number(connection, *grown.space)
    if {leaf.fact for leaf in leaves(connection, scope, space)} != {n.id for n in grown.nodes if not n.level}:
        raise Conflict("the summaries have changed", hint="read again and decide")
    new = grown.tellings
    connection.exec_driver_sql(
        sql("summaries/replace_tree"),
        {
            "scope": scope,
            "space": space,
            "nodes": [node.id for node in grown.nodes],
            "levels": [node.level for node in grown.nodes],
            "parents": [node.parent for node in grown.nodes],
            "new": list(new),
            "texts": [told.text for told in new.values()],
            "vectors": [told.vector for told in new.values()],
            "facts": [_array(fact for fact, _ in told.whence) for told in new.values()],
            "places": [_array(place for _, place in told.whence) for told in new.values()],
        },
    )
    connection.exec_driver_sql(sql("summaries/delete_tellings"), {"scope": scope})


def rewrite(connection: Connection, scope: uuid.UUID, grown: Grown) -> None:
    """Delete the stored tree, and write *grown*, which was built without that tree; see `write`."""
    connection.exec_driver_sql("DELETE FROM tree_nodes WHERE scope = %(scope)s", {"scope": scope})
    write(connection, scope, grown)


def differences(connection: Connection, scope: uuid.UUID) -> str | None:
    """Return a description of the differences between a scope's stored tree and its summaries, or None.

    A tree that was never built, or is to be rebuilt, has no differences.
    """
    rows = connection.exec_driver_sql(sql("summaries/stored_nodes"), {"scope": scope, "pack": pack_of(GROW)}).all()
    if not rows:
        return None
    space = rows[0].space
    found = leaves(connection, scope, space)
    nodes = nodes_over(scope, found, rows[0].name, rows[0].dimensions)
    lines, _ = node_lines(nodes, found)
    should = {(n.id, n.level, n.parent, space, join(lines[n.id]) if n.level else None) for n in nodes}
    held = {(row.node, row.level, row.parent, row.space, row.text) for row in rows}
    differing = len({one[0] for one in should ^ held})
    return f"{differing} nodes differ" if differing else None


def _array(values: Iterable[object]) -> str:
    return "{" + ",".join(map(str, values)) + "}"
