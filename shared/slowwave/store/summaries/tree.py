"""Trees over summaries. A tree is rebuilt, compared, searched, and read for model summaries."""

import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sqlalchemy import Connection

from slowwave.core.summaries.extractive_summary import Line, by_model, join, split, subject
from slowwave.core.summaries.tree import Grown, Summed, node_lines, nodes_over
from slowwave.domain.job_table import GROW, pack_of
from slowwave.domain.queries.summary import EXTRACT
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict
from slowwave.ports import Embedder, Vectors
from slowwave.store.database import Database, Repository
from slowwave.store.encryption.tenant_keys import encrypted
from slowwave.store.runs import settling
from slowwave.store.statements import execute, exists
from slowwave.store.summaries.model_summaries import ModelSummary, Open, summaries_about, summaries_by_subject, words
from slowwave.store.transaction import space_number

MOST = 100_000
"""The maximum number of nodes of a scope's tree. No user has as many sessions."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of the tree, the *quotes* of the node, and the state of the node's model summary."""

    id: uuid.UUID
    level: int
    parent: uuid.UUID | None
    quotes: Sequence[Line]
    about: str
    open: Open | None = None


@dataclass(frozen=True, slots=True)
class StoredNode:
    """A node of the tree of a *scope*, with the sources of each line of the node. A leaf belongs to a *session*."""

    id: uuid.UUID
    scope: Scope
    level: int
    parent: uuid.UUID | None
    session: str | None
    lines: Sequence[Line]
    score: float | None
    by: str = EXTRACT


def search(
    connection: Connection, scopes: Sequence[Scope], vector: Vectors, embedder: Embedder, *, most: int
) -> list[StoredNode]:
    """Return the nodes nearest to a vector, on any level, the nearest first."""
    space = space_number(connection, embedder.space, embedder.dimensions)
    return _found(connection, "search", scopes, vector=vector, space=space, most=most)


def nodes(connection: Connection, scopes: Sequence[Scope], *, under: str | None = None, most: int) -> list[StoredNode]:
    """Return the nodes of trees, the highest first.

    If *under* is given, return only the children of the node with this prefix.
    """
    return _found(connection, "nodes", scopes, under=under, most=most)


def _found(connection: Connection, statement: str, scopes: Sequence[Scope], **asked: Any) -> list[StoredNode]:
    scopes_by_id = {scope.id: scope for scope in scopes}
    rows = execute(connection, f"summaries/{statement}", scopes=list(scopes_by_id), **asked).all()
    summaries = {
        scope: summaries_by_subject(connection, scope, [_about(row) for row in rows if row.scope == scope])
        for scope in scopes_by_id
    }
    return [
        _in_words(
            StoredNode(row.node, scopes_by_id[row.scope], row.level, row.parent, row.session, lines, row.score),
            summaries[row.scope].get(_about(row)),
        )
        for row, lines in zip(rows, lines_of(connection, rows), strict=True)
    ]


def lines_of(connection: Connection, rows: Sequence[Any]) -> list[list[Line]]:
    """Return the quotes of each node in *rows*, each quote with its sources."""
    named = {fact for row in rows for fact in ([row.node] if row.facts is None else row.facts)}
    sources = words(connection, list(named))
    return [_lines(row, sources) for row in rows]


def _about(row: Any) -> str:
    return str(row.node) if row.level else subject(row.session)


def _in_words(node: StoredNode, summary: ModelSummary | None) -> StoredNode:
    """Return a node with its model summary, if there is one. Messages after the end of the model summary are quoted."""
    if summary is None or summary.model is None:
        return node
    since = [line for line in node.lines if node.level == 0 and line.source.position > summary.covered]
    return replace(node, lines=[*summary.lines, *since], by=by_model(summary.model))


def _lines(row: Any, sources: Any) -> list[Line]:
    """Return the lines of a node with their sources. A line without a source gets the last source of its summary."""
    if row.facts is None:
        return split(row.object, sources[row.node])
    texts = row.text.split("\n")
    return [
        Line(text, sources[fact][min(place, len(sources[fact]) - 1)])
        for text, fact, place in zip(texts, row.facts, row.places, strict=True)
    ]


class PostgresBranches(Repository):
    """The tree of a scope, with the model summaries of its nodes."""

    def branches(self, tenant: str, scope: uuid.UUID) -> Sequence[Branch]:
        """Return the nodes of the tree, or no nodes while the tree is to be rebuilt."""
        with self._database.tenant(tenant) as connection:
            growing = "FROM intents WHERE scope = %(scope)s AND pack = %(pack)s"
            if exists(connection, growing, scope=scope, pack=pack_of(GROW)):
                return []
            rows = execute(connection, "summaries/nodes", scopes=[scope], under=None, most=MOST).all()
            abouts = [str(row.node) if row.level else subject(row.session) for row in rows]
            summaries = {one.summary.about: one for one in summaries_about(connection, scope, abouts)}
            lines = lines_of(connection, rows)
            return [
                Branch(row.node, row.level, row.parent, quotes, about, summaries.get(about))
                for row, quotes, about in zip(rows, lines, abouts, strict=True)
            ]


class PostgresTrees:
    """The trees in the space of an embedder."""

    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder

    def leaves(self, tenant: str, scope: uuid.UUID) -> Sequence[Summed]:
        """Return the latest summary of each session that is not archived."""
        with self._database.tenant(tenant) as connection:
            return leaves(connection, scope, space_number(connection, self._embedder.space, self._embedder.dimensions))

    def node_ids(self, tenant: str, scope: uuid.UUID) -> Collection[uuid.UUID]:
        """Return the ids of the stored nodes."""
        with self._database.tenant(tenant) as connection:
            return node_ids(connection, scope)


def leaves(connection: Connection, scope: uuid.UUID, space: int) -> list[Summed]:
    """Return the latest summaries of unarchived sessions of a scope, in the order of their subjects."""
    rows = execute(connection, "summaries/leaves", scope=scope, space=space).all()
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
    """Return a vector from the database as an array. Some versions of pgvector return arrays already."""
    array: Vectors = embedding if isinstance(embedding, np.ndarray) else embedding.to_numpy()
    return array


def node_ids(connection: Connection, scope: uuid.UUID) -> set[uuid.UUID]:
    """Return the ids of the nodes of a scope's tree. Served by tree_nodes_pkey."""
    asked = "SELECT node FROM tree_nodes WHERE scope = %(scope)s"
    return set(connection.exec_driver_sql(asked, {"scope": scope}).scalars())


@settling.write.register
def _grown(effect: Grown, connection: Connection, run: Run) -> None:
    write(connection, run.scope, effect)


def write(connection: Connection, scope: uuid.UUID, grown: Grown) -> None:
    """Replace the tree of a scope by the tree *grown*. The caller has locked the scope's lease row.

    Raises `Conflict` if the summaries have changed since *grown* was built.
    """
    space = space_number(connection, *grown.space)
    if {leaf.fact for leaf in leaves(connection, scope, space)} != {n.id for n in grown.nodes if not n.level}:
        raise Conflict("the summaries have changed", hint="read again and decide")
    new = grown.node_texts
    execute(
        connection,
        "summaries/replace_tree",
        scope=scope,
        space=space,
        nodes=[node.id for node in grown.nodes],
        levels=[node.level for node in grown.nodes],
        parents=[node.parent for node in grown.nodes],
        new=list(new),
        texts=encrypted(connection, [node.text for node in new.values()]),
        vectors=[node.vector for node in new.values()],
        facts=[_array(fact for fact, _ in node.whence) for node in new.values()],
        places=[_array(place for _, place in node.whence) for node in new.values()],
    )
    execute(connection, "summaries/delete_unused_summaries", scope=scope)


def rewrite(connection: Connection, scope: uuid.UUID, grown: Grown) -> None:
    """Delete the stored tree, and write *grown*, which was built without the stored tree; see `write`."""
    connection.exec_driver_sql("DELETE FROM tree_nodes WHERE scope = %(scope)s", {"scope": scope})
    write(connection, scope, grown)


def differences(connection: Connection, scope: uuid.UUID) -> str | None:
    """Return a description of the differences between a scope's stored tree and its summaries, or None.

    A tree that was never built, or that is to be rebuilt, has no differences.
    """
    rows = execute(connection, "summaries/stored_nodes", scope=scope, pack=pack_of(GROW)).all()
    if not rows:
        return None
    space = rows[0].space
    found = leaves(connection, scope, space)
    nodes = nodes_over(scope, found, rows[0].name, rows[0].dimensions)
    lines, _ = node_lines(nodes, found)
    should = {(n.id, n.level, n.parent, space, join(lines[n.id]) if n.level else None) for n in nodes}
    stored = {(row.node, row.level, row.parent, row.space, row.text) for row in rows}
    differing = len({one[0] for one in should ^ stored})
    return f"{differing} nodes differ" if differing else None


def _array(values: Iterable[object]) -> str:
    return "{" + ",".join(map(str, values)) + "}"
