"""The graph as a part of a context: the entities that a question names, and their neighbours."""

import uuid
from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from slowwave.domain.claim import Source
from slowwave.domain.context import Part
from slowwave.domain.graph import MemoryGraph
from slowwave.domain.scope import Scope
from slowwave.memory.graph import Graph
from slowwave.memory.reach import Reads
from slowwave.store.beliefs.facts import facts
from slowwave.wiring import Parts

ENTITIES = 5


def includes_graph(wanted: bool | None) -> bool:
    """Return whether to include the graph: *wanted*, or without it, whether the extra for graphs is installed."""
    return find_spec("networkx") is not None if wanted is None else wanted


def graphs(
    parts: Parts, scope: Scope, reads: Reads, reach: Sequence[Scope], question: str, session: str | None
) -> list[Part]:
    """Give a part with the entities around *question*, then smaller parts with fewer; none if no entity matches."""
    graph = Graph(parts, scope, reads)
    around = graph.query(question, top_k=ENTITIES, session=session)
    with parts.database.tenant(scope.tenant) as connection:
        held = facts(connection, [one.id for one in reach], named=[edge.fact for edge in around.edges])
    sources = {fact.id: fact.sources for fact in held}

    nodes = list(around.nodes.items())
    fewer = [MemoryGraph(dict(nodes[:most]), around.edges, around.version) for most in range(len(nodes), 0, -1)]
    return [_part(graph.format_as_context(one), one, sources, scope) for one in fewer]


def _part(content: str, shown: MemoryGraph, sources: Mapping[uuid.UUID, Sequence[Source]], scope: Scope) -> Part:
    """Return the part that describes *shown*; its reasons are each entity's number of mentions."""
    edges = [edge for edge in shown.edges if {edge.source, edge.target} <= set(shown.nodes)]
    return Part(
        "graph",
        content,
        reasons={node.label: float(node.frequency) for node in shown.nodes.values()},
        sources=tuple(dict.fromkeys(source for edge in edges for source in sources.get(edge.fact, ()))),
        scope=scope,
    )
