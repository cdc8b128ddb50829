"""Entities of the graph that a question names, their other names, and walks along the relations in the question."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache

from sqlalchemy import Connection

from slowwave.core.beliefs.identity import normal
from slowwave.core.graph.path_search import Found, Start, connecting, follow
from slowwave.core.graph.relations import Span, outermost, relations_of, runs, stems
from slowwave.core.predicates.sentences import USER
from slowwave.store.blocks.binary_results import Asked
from slowwave.store.graph.queries import asks_for_named, named, onward, walk
from slowwave.store.statements import execute
from slowwave.store.transaction import registry_of

MOST_NAMED = 8
"""The maximum number of entities of a question whose other names are read; entities with longer names come first."""
MOST_STARTS = 8
"""The maximum number of entities of a question at which walks begin; entities with longer names come first."""


def aliases_in_question(
    connection: Connection, scopes: Sequence[uuid.UUID], question: str
) -> Mapping[str, Sequence[str]]:
    """Return all names of each entity that *question* names, by the name that *question* uses."""
    possible = [(normal(name), name, span) for name, span in runs(question)]
    known = named(connection, scopes, list({name for name, _, _ in possible}))
    names = {normal(name) for _, name in known}
    every = {span: spelling for name, spelling, span in possible if name in names}
    spellings = {normal(name): name for name in outermost(every).values()}
    keys = dict([(key, spellings[normal(name)]) for key, name in known if normal(name) in spellings][:MOST_NAMED])
    if not keys:
        return {}
    where = {"scopes": [scope for scope, _ in keys], "entities": [entity for _, entity in keys]}
    found: dict[str, list[str]] = {}
    spelling = ""
    for row in execute(connection, "graph/names/of", **where):
        spelling = keys.get((row.scope, row.entity), spelling)  # an entity's own name comes before its other names
        found.setdefault(spelling, []).append(row.name)
    return found


def walked(
    connection: Connection, scopes: Sequence[uuid.UUID], question: str, *, most: int, at: datetime | None
) -> list[Found]:
    """Return at most *most* paths, best first, from the entities in *question* along the relations in *question*."""
    starts = _starts(connection, scopes, question)
    if not starts:
        return []
    return follow(starts, relations_of(registry_of(connection)), onward(connection, at), most=most)


def connected(
    connection: Connection, scopes: Sequence[uuid.UUID], question: str, *, at: datetime | None
) -> Mapping[uuid.UUID, float]:
    """Return the facts that connect two entities of *question*, each with 1 / (number of facts on the path).

    This function reads two hops from each named entity. Together, two such walks find paths of four facts. See
    `connecting`.
    """
    keys = list(dict.fromkeys(start.key for start in _starts(connection, scopes, question)))
    if len(keys) < 2:
        return {}
    _, edges = walk(connection, keys, depth=2, at=at)
    return connecting(edges, [entity for _, entity in keys])


def asks(scopes: Sequence[uuid.UUID], question: str) -> Asked:
    """Return the first statement that `walked` runs, with its parameters."""
    return asks_for_named(scopes, list(_spans(question)))


@lru_cache(maxsize=64)
def _spans(question: str) -> Mapping[str, Sequence[Span]]:
    """Return the possible names in *question*, each with its spans in *question*."""
    spans: dict[str, list[Span]] = {}
    for name, span in runs(question):
        spans.setdefault(normal(name), []).append(span)
    return spans


def _starts(connection: Connection, scopes: Sequence[uuid.UUID], question: str) -> list[Start]:
    spans = _spans(question)
    known = named(connection, scopes, list(spans))
    every = {span: normal(name) for _, name in known for span in spans.get(normal(name), ())}
    here = outermost(every) | {span: name for span, name in every.items() if name == USER}
    starts = [
        Start(key, name, tuple(stems(f"{question[:start]} {question[end:]}")))
        for key, name in known
        for (start, end), found in here.items()
        if found == normal(name)
    ]
    return starts[:MOST_STARTS]
