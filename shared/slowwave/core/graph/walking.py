"""Walks over a bounded neighbourhood: how far entities lie from where one begins, and what connects them."""

import uuid
from collections.abc import Collection, Iterable, Mapping
from itertools import combinations

import networkx as nx

from slowwave.domain.graph.knowledge import ConceptNode, Glimpse, RelationshipEdge

MOST_CONNECTED = 8
"""Entities of a question between which paths are looked for: 28 pairs."""


def graph_of(edges: Iterable[RelationshipEdge]) -> "nx.MultiDiGraph[uuid.UUID]":
    """Return *edges* as a graph; those between two entities are told apart by their facts."""
    graph: nx.MultiDiGraph[uuid.UUID] = nx.MultiDiGraph()
    for edge in edges:
        graph.add_edge(edge.source, edge.target, key=edge.fact, type=edge.type, weight=edge.weight)
    return graph


def between(edges: Iterable[RelationshipEdge], seeds: Collection[uuid.UUID]) -> set[uuid.UUID]:
    """Return the entities on the shortest paths between *seeds*, which answer how one relates to the other."""
    graph = nx.Graph(graph_of(edges))
    found: set[uuid.UUID] = set()
    for one, other in combinations(list(seeds)[:MOST_CONNECTED], 2):
        if one in graph and other in graph and nx.has_path(graph, one, other):
            found.update(nx.shortest_path(graph, one, other))
    return found


def important(
    nodes: Mapping[uuid.UUID, Glimpse], hops: Mapping[uuid.UUID, int], connecting: Collection[uuid.UUID], most: int
) -> list[uuid.UUID]:
    """Return the *most* important of *nodes*: schematic ones, then what connects, then the nearest by *hops*."""

    def rank(id_: uuid.UUID) -> tuple[bool, bool, int, int, str, uuid.UUID]:
        node = nodes[id_]
        regular = node.category == "regular"
        return regular, id_ not in connecting, hops[id_], -node.frequency, node.label, id_

    return sorted(nodes, key=rank)[:most]


def as_context(nodes: Iterable[ConceptNode]) -> str:
    """Return *nodes* as lines for a prompt, or nothing where there are none (Grampus F3)."""
    lines = [
        f"- {node.label}: {node.description}" + (" [core concept]" if node.category == "schematic" else "")
        for node in nodes
    ]
    return "\n".join(["Knowledge graph context:", *lines]) if lines else ""
