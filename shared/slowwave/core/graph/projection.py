"""The graph that follows from a scope's facts: what is kept must be the same."""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from slowwave.core.graph.classes import Pair, roots
from slowwave.core.graph.ends import ALIAS, entity_id
from slowwave.core.predicates.sentences import USER

NEVER = "{}"
"""The times of an edge that is believed no longer."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A fact as an edge. *valid* is when it is so, as far as it is believed, as Postgres writes several ranges."""

    fact: uuid.UUID
    source: uuid.UUID
    relation: str
    target: uuid.UUID | None
    kind: str | None
    valid: str
    weight: int

    @property
    def held(self) -> bool:
        """True while it is believed, of whatever time."""
        return self.valid != NEVER


def frequencies(edges: Iterable[Edge]) -> Mapping[uuid.UUID, int]:
    """Return how often what is believed speaks of each entity, by its weight, at either end."""
    found: Counter[uuid.UUID] = Counter()
    for edge in edges:
        for end in (edge.source, edge.target) if edge.held else ():
            if end is not None:
                found[end] += edge.weight
    return found


def classes(scope: uuid.UUID, edges: Iterable[Edge], near: Iterable[Pair]) -> Mapping[uuid.UUID, uuid.UUID]:
    """Return the names that stand for others of *scope*: other names by an alias of *edges*, or *near* in meaning."""
    aliases = [(edge.source, edge.target) for edge in edges if edge.held and edge.kind == ALIAS and edge.target]
    found = roots([*aliases, *near], first=entity_id(scope, USER))
    return {name: root for name, root in found.items() if name != root}
