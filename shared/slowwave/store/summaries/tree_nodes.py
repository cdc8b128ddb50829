"""Nodes of trees as they are stored in Postgres, with the lines of each."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from slowwave.core.summaries.extractive_summary import Line, split, subject
from slowwave.core.summaries.lines import by_model
from slowwave.domain.queries.summary import EXTRACT
from slowwave.domain.scope import Scope
from slowwave.jobs.summaries.model_summaries import Telling
from slowwave.ports import Embedder, Vectors
from slowwave.store.embedding_spaces import space_number
from slowwave.store.statements import sql
from slowwave.store.summaries.model_summaries import tellings_by_subject
from slowwave.store.summaries.session_summaries import words


@dataclass(frozen=True, slots=True)
class StoredNode:
    """A node of the tree of a *scope*, with the sources of each of its lines; a leaf belongs to a *session*."""

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
    """Return the nodes of trees, the highest first; or only the children of a node whose id begins with *under*."""
    return _found(connection, "nodes", scopes, under=under, most=most)


def _found(connection: Connection, statement: str, scopes: Sequence[Scope], **asked: Any) -> list[StoredNode]:
    whose = {scope.id: scope for scope in scopes}
    rows = connection.exec_driver_sql(sql(f"summaries/{statement}"), {"scopes": list(whose), **asked}).all()
    telling = {
        scope: tellings_by_subject(connection, scope, [_about(row) for row in rows if row.scope == scope])
        for scope in whose
    }
    return [
        _in_words(
            StoredNode(row.node, whose[row.scope], row.level, row.parent, row.session, lines, row.score),
            telling[row.scope].get(_about(row)),
        )
        for row, lines in zip(rows, lines_of(connection, rows), strict=True)
    ]


def lines_of(connection: Connection, rows: Sequence[Any]) -> list[list[Line]]:
    """Return the quotes of nodes, each with its sources, in the order of their *rows*."""
    named = {fact for row in rows for fact in ([row.node] if row.facts is None else row.facts)}
    sources = words(connection, list(named))
    return [_lines(row, sources) for row in rows]


def _about(row: Any) -> str:
    return str(row.node) if row.level else subject(row.session)


def _in_words(node: StoredNode, telling: Telling | None) -> StoredNode:
    """Return a node with its model summary, if there is one; later messages of a session are quoted."""
    if telling is None or telling.model is None:
        return node
    since = [line for line in node.lines if node.level == 0 and line.source.position > telling.covered]
    return replace(node, lines=[*telling.lines, *since], by=by_model(telling.model))


def _lines(row: Any, sources: Any) -> list[Line]:
    """Return the lines of a node; a line written by hand gets the last source."""
    if row.facts is None:
        return split(row.object, sources[row.node])
    texts = row.text.split("\n")
    return [
        Line(text, sources[fact][min(place, len(sources[fact]) - 1)])
        for text, fact, place in zip(texts, row.facts, row.places, strict=True)
    ]
