"""Grow the tree over a scope's summaries: changed nodes, and all above them, are summarised again."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from slowwave.core.summaries.extractive_summary import Line, best, join
from slowwave.core.summaries.tree import Leaf, Node, grow
from slowwave.domain.job_table import RETELL, pack_of
from slowwave.domain.run import Run
from slowwave.ports import Embedder, IntentRequest, Plan, RunStore, Vectors


@dataclass(frozen=True, slots=True)
class Summed:
    """The summary of an unarchived session: its *fact*, the *name* of its subject, and its lines."""

    fact: uuid.UUID
    name: str
    lines: Sequence[Line]
    vector: Vectors | None


@dataclass(frozen=True, slots=True)
class Telling:
    """The lines of a node, each with the fact of its summary and its index there, and the vector of their text."""

    lines: Sequence[Line]
    whence: Sequence[tuple[uuid.UUID, int]]
    vector: Vectors

    @property
    def text(self) -> str:
        """The lines, one below the other."""
        return join(self.lines)


@dataclass(frozen=True, slots=True)
class Grown:
    """An effect: set the tree of a scope to these *nodes*. New nodes have *tellings*, with vectors in *space*."""

    nodes: Sequence[Node]
    tellings: Mapping[uuid.UUID, Telling]
    space: tuple[str, int]


class TreeStore(Protocol):
    """The trees, as the database keeps them. Raises `Unavailable` when the database is unreachable."""

    def leaves(self, tenant: str, scope: uuid.UUID) -> Sequence[Summed]:
        """Return the latest summary of each session that is not archived."""

    def kept(self, tenant: str, scope: uuid.UUID) -> Collection[uuid.UUID]:
        """Return the ids of the existing nodes."""


@dataclass(frozen=True, slots=True)
class Grow:
    """A `Job` that builds the tree of a scope from its summaries. Safe to repeat: unchanged nodes are not written.

    If *retold*, it then asks for model summaries of the nodes.
    """

    trees: TreeStore
    embedder: Embedder
    retold: bool = False

    def think(self, run: Run, store: RunStore) -> Plan:  # noqa: ARG002  # the port is enough
        """Return the tree of the scope's summaries; count the `nodes` that are summarised again."""
        leaves, kept = self.trees.leaves(run.tenant, run.scope), self.trees.kept(run.tenant, run.scope)
        grown = tree(run.scope, leaves, kept, self.embedder)
        if {node.id for node in grown.nodes} == set(kept):
            return Plan()
        asks = [IntentRequest(RETELL, pack_of(RETELL), at_once=True)] if self.retold else []
        return Plan(effects=[grown, *asks], counts={"nodes": len(grown.tellings)})

    def witness(self, run: Run) -> bool:  # noqa: ARG002  # a job answers for every run alike
        """Return True: growing the tree reads no episode, so none can be to blame."""
        return True


def tree(scope: uuid.UUID, leaves: Sequence[Summed], kept: Collection[uuid.UUID], embedder: Embedder) -> Grown:
    """Return the tree over *leaves*; nodes in *kept* are not summarised again."""
    nodes = nodes_over(scope, leaves, embedder.space, embedder.dimensions)
    lines, whence = node_lines(nodes, leaves)
    new = [node.id for node in nodes if node.level and node.id not in kept]
    vectors = embedder.embed([join(lines[node]) for node in new]) if new else ()
    tellings = {
        node: Telling(lines[node], [whence[line] for line in lines[node]], vector)
        for node, vector in zip(new, vectors, strict=True)
    }
    return Grown(nodes, tellings, (embedder.space, embedder.dimensions))


def nodes_over(scope: uuid.UUID, leaves: Sequence[Summed], space: str, dimensions: int) -> list[Node]:
    """Return the nodes of the tree over *leaves* in an embedding space; a leaf may have no vector there."""
    nothing = np.zeros(dimensions, np.float32)
    points = [Leaf(one.fact, one.name, nothing if one.vector is None else one.vector) for one in leaves]
    return grow(scope, points, seed=space)


def node_lines(
    nodes: Sequence[Node], leaves: Sequence[Summed]
) -> tuple[dict[uuid.UUID, Sequence[Line]], dict[Line, tuple[uuid.UUID, int]]]:
    """Return the lines of every node, which are the best lines below it; and the summary and the index of each line."""
    lines: dict[uuid.UUID, Sequence[Line]] = {leaf.fact: leaf.lines for leaf in leaves}
    whence = {line: (leaf.fact, place) for leaf in leaves for place, line in enumerate(leaf.lines)}
    for node in nodes:
        if node.level:
            lines[node.id] = best(line for child in node.children for line in lines[child])
    return lines, whence
