"""Tool paths: a graph of tool transitions, weighted by their successes."""

from collections.abc import Mapping
from itertools import pairwise

import networkx as nx

from slowwave.core.patterns import LEARNING


def transitions(successes: Mapping[tuple[str, ...], int]) -> "nx.DiGraph[str]":
    """Return the graph of tools. The `support` of an edge counts the successes with this transition.

    *successes* gives the number of successes of each sequence of tools.
    """
    graph: nx.DiGraph[str] = nx.DiGraph()
    for tools, count in successes.items():
        graph.add_nodes_from(tools)
        for edge in set(pairwise(tools)):
            before = graph.edges[edge]["support"] if graph.has_edge(*edge) else 0
            graph.add_edge(*edge, support=before + count)
    return graph


def frequent_paths(
    successes: Mapping[tuple[str, ...], int], least: int = LEARNING.successes
) -> list[tuple[tuple[str, ...], int]]:
    """Return the longest paths that succeeded at least *least* times, with their counts, in order from the highest
    count.

    A path is a contiguous part of a sequence. A path inside a longer path with the same count is left out.

    >>> frequent_paths({("search", "book", "pay"): 2, ("login", "search", "book"): 1})
    [(('search', 'book'), 3)]
    """
    graph = transitions(successes)
    usual = nx.subgraph_view(graph, filter_edge=lambda one, next_: graph.edges[one, next_]["support"] >= least)
    found: dict[tuple[str, ...], int] = {}
    paths = [(edge, graph.edges[edge]["support"]) for edge in usual.edges]
    while paths:
        found.update(paths)
        longer = {(*path, following) for path, _ in paths for following in usual.successors(path[-1])}
        counted = [(p, sum(count for tools, count in successes.items() if _within(p, tools))) for p in longer]
        paths = [(path, support) for path, support in counted if support >= least]
    longest = [path for path in found if not any(_swallows(other, path, found) for other in found)]
    return sorted(((path, found[path]) for path in longest), key=lambda one: (-one[1], one[0]))


def _swallows(other: tuple[str, ...], path: tuple[str, ...], found: Mapping[tuple[str, ...], int]) -> bool:
    return len(other) > len(path) and found[other] >= found[path] and _within(path, other)


def _within(path: tuple[str, ...], tools: tuple[str, ...]) -> bool:
    return any(tools[at : at + len(path)] == path for at in range(len(tools) - len(path) + 1))
