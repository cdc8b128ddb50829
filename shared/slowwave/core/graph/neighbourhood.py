"""The neighbourhood of entities in a limited part of the graph: connecting paths, and the most important entities."""

import uuid
from collections.abc import Collection, Iterable, Mapping
from itertools import combinations

import networkx as nx

from slowwave.domain.graph import ConceptNode, Glimpse, RelationshipEdge

MOST_CONNECTED = 8
"""The maximum number of entities of a question between which paths are searched. They make 28 pairs."""


def graph_of(edges: Iterable[RelationshipEdge]) -> "nx.MultiDiGraph[uuid.UUID]":
    """Return *edges* as a graph. Parallel edges between two entities have their facts as keys."""
    graph: nx.MultiDiGraph[uuid.UUID] = nx.MultiDiGraph()
    for edge in edges:
        graph.add_edge(edge.source, edge.target, key=edge.fact, type=edge.type, weight=edge.weight)
    return graph


def between(edges: Iterable[RelationshipEdge], seeds: Collection[uuid.UUID]) -> set[uuid.UUID]:
    """Return the entities on the shortest paths between *seeds*. These entities show how the seeds are related."""
    graph = nx.Graph(graph_of(edges))
    found: set[uuid.UUID] = set()
    for one, other in combinations(list(seeds)[:MOST_CONNECTED], 2):
        if one in graph and other in graph and nx.has_path(graph, one, other):
            found.update(nx.shortest_path(graph, one, other))
    return found


def important(
    nodes: Mapping[uuid.UUID, Glimpse], hops: Mapping[uuid.UUID, int], connecting: Collection[uuid.UUID], most: int
) -> list[uuid.UUID]:
    """Return the ids of the most important *nodes*, up to the number *most*.

    Schematic nodes (those with many facts) come first, then *connecting* nodes, then the nearest nodes by *hops*.
    """

    def rank(id_: uuid.UUID) -> tuple[bool, bool, int, int, str, uuid.UUID]:
        node = nodes[id_]
        regular = node.category == "regular"
        return regular, id_ not in connecting, hops[id_], -node.frequency, node.label, id_

    return sorted(nodes, key=rank)[:most]


def as_context(nodes: Iterable[ConceptNode]) -> str:
    """Return *nodes* as text for a prompt, one line per node. Without nodes, the text is empty."""
    lines = [
        f"- {node.label}: {node.description}" + (" [core concept]" if node.category == "schematic" else "")
        for node in nodes
    ]
    return "\n".join(["Knowledge graph context:", *lines]) if lines else ""
