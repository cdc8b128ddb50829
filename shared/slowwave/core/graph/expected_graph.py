"""The graph that a scope's facts lead one to expect, to compare with the stored one."""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from slowwave.core.graph.edges import ALIAS, entity_id
from slowwave.core.graph.equivalence_classes import Pair, roots
from slowwave.core.predicates.sentences import USER

NEVER = "{}"
"""The empty multirange: *valid* of an edge that is no longer believed."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A fact as an edge. *valid* is when it is believed to be true, as a Postgres multirange."""

    fact: uuid.UUID
    source: uuid.UUID
    relation: str
    target: uuid.UUID | None
    kind: str | None
    valid: str
    weight: int

    @property
    def held(self) -> bool:
        """True if it is believed to be true at any time."""
        return self.valid != NEVER


def frequencies(edges: Iterable[Edge]) -> Mapping[uuid.UUID, int]:
    """Return the frequency of each entity: the total weight of the believed facts at whose ends it is."""
    found: Counter[uuid.UUID] = Counter()
    for edge in edges:
        for end in (edge.source, edge.target) if edge.held else ():
            if end is not None:
                found[end] += edge.weight
    return found


def classes(scope: uuid.UUID, edges: Iterable[Edge], near: Iterable[Pair]) -> Mapping[uuid.UUID, uuid.UUID]:
    """Return the representative of each name of *scope* that has one: by alias *edges*, or by *near* vectors."""
    aliases = [(edge.source, edge.target) for edge in edges if edge.held and edge.kind == ALIAS and edge.target]
    found = roots([*aliases, *near], first=entity_id(scope, USER))
    return {name: root for name, root in found.items() if name != root}
