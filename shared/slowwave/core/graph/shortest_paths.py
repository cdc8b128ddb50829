"""Connections: the facts on the shortest paths between the entities that a question names."""

import uuid
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from slowwave.domain.graph import RelationshipEdge

MOST_CONNECTED = 4
"""The most entities of a question between which paths are searched: 6 pairs."""


def connecting(edges: Iterable[RelationshipEdge], named: Sequence[uuid.UUID]) -> Mapping[uuid.UUID, float]:
    """Return the facts on a shortest path between any two of the *named* entities, each with 1 / the path's length.

    The search is breadth first, in both directions of a fact; *edges* are tried in their order, the heaviest first.
    """
    around: dict[uuid.UUID, list[tuple[uuid.UUID, uuid.UUID]]] = {}
    for edge in edges:
        around.setdefault(edge.source, []).append((edge.target, edge.fact))
        around.setdefault(edge.target, []).append((edge.source, edge.fact))
    found: dict[uuid.UUID, float] = {}
    for one, other in combinations(named[:MOST_CONNECTED], 2):
        way = _shortest(around, one, other)
        for fact in way:
            found[fact] = max(found.get(fact, 0.0), 1 / len(way))
    return found


def _shortest(
    around: Mapping[uuid.UUID, Sequence[tuple[uuid.UUID, uuid.UUID]]], start: uuid.UUID, end: uuid.UUID
) -> list[uuid.UUID]:
    """The facts of one of the shortest paths; none if there is no path."""
    came: dict[uuid.UUID, tuple[uuid.UUID, uuid.UUID]] = {}
    waiting = deque([start])
    while waiting and end not in came:
        here = waiting.popleft()
        for there, fact in around.get(here, ()):
            if there != start and there not in came:
                came[there] = here, fact
                waiting.append(there)
    way: list[uuid.UUID] = []
    while end in came:
        end, fact = came[end]
        way.append(fact)
    return way
