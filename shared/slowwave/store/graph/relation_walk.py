"""Walks in the graph along the relations that a question names, read from the store hop by hop."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache

from sqlalchemy import Connection

from slowwave.core.beliefs.identity import normal
from slowwave.core.graph.name_candidates import Span, outermost, runs
from slowwave.core.graph.path_search import Found, Start, follow
from slowwave.core.graph.relations import relations_of, stems
from slowwave.core.graph.shortest_paths import connecting
from slowwave.core.predicates.sentences import USER
from slowwave.store.blocks.binary_results import Asked
from slowwave.store.graph.queries import asks_for_named, named, onward, walk
from slowwave.store.policy import registry_of

MOST_STARTS = 8
"""The most entities of a question at which walks begin; entities with longer names come first."""


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
    """Return the facts that connect two entities of *question*, each with 1 / (facts on the path); see `connecting`.

    Reads two hops from each named entity: both halves of a path of four facts.
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
    """Return the possible names in *question*, each with its spans there."""
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
