"""The summary tree. Similar summaries are under one node, and similar nodes are under a higher node, up to one root.

The tree depends only on its leaves, not on their order of arrival. The id of a node is derived from its leaves.
Therefore an unchanged node keeps its id, and is not summarised again.
"""

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slowwave.core.summaries.extractive_summary import Line, best, join

VERSION = 1
"""The version of the tree algorithm. It is a part of every id; therefore a new version builds a new tree."""
A_CLUSTER = 3
"""The number of nodes of a level per node of the next level."""
ROUNDS = 8
"""The maximum number of rounds of k-means. Most levels are stable after four rounds."""
ROWS = 1_024
"""The number of rows that are compared with all centres at once. It limits the used memory."""
DIGITS = 5
"""The number of digits of a cosine that count, because further digits depend on the processor. Equal cosines go by
order."""

Points = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A summary, with its *id* and its *vector*. Without a vector, *vector* is all zeros.

    A new summary of the same session has another *id*, but the same *name*.
    """

    id: uuid.UUID
    name: str
    vector: Points


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a tree, with the ids of its children. A leaf, at level 0, has no children."""

    id: uuid.UUID
    level: int
    parent: uuid.UUID | None
    children: tuple[uuid.UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class _Stem:
    """A node under construction. Its rank is the lowest rank of its leaves; a leaf's rank is a digest of its name."""

    id: uuid.UUID
    rank: bytes
    vector: Points
    children: tuple[uuid.UUID, ...] = ()


def grow(scope: uuid.UUID, leaves: Sequence[Leaf], *, seed: str) -> list[Node]:
    """Return the nodes of the tree over *leaves*, from the leaves to the root. Without leaves, there are no nodes.

    Above n nodes, the next level has ceil(n / 3) nodes. *seed* is a part of every id, for example the embedding space.
    """
    level = sorted(
        (_Stem(leaf.id, hashlib.sha256(leaf.name.encode()).digest(), leaf.vector) for leaf in leaves), key=_order
    )
    levels = [level]
    while len(level) > 1:
        level = _above(scope, level, f"{VERSION}/{seed}")
        levels.append(level)
    parents = {child: stem.id for stems in levels for stem in stems for child in stem.children}
    return [
        Node(stem.id, height, parents.get(stem.id), stem.children)
        for height, stems in enumerate(levels)
        for stem in stems
    ]


def clusters(points: Points, many: int) -> list[list[int]]:
    """Return the rows of *points* in clusters by k-means; *many* is the number of clusters.

    The first rows are the initial centres. No cluster is empty.
    """
    centres = points[:many].copy()
    members = _nearest(points, centres)
    for _ in range(ROUNDS):
        centres = np.stack([_mean(points[members == number]) for number in range(many)])
        moved = _nearest(points, centres)
        if np.array_equal(moved, members):
            break
        members = moved
    return [np.flatnonzero(members == number).tolist() for number in range(many)]


def _order(stem: _Stem) -> tuple[bytes, uuid.UUID]:
    return stem.rank, stem.id


def _above(scope: uuid.UUID, level: Sequence[_Stem], seed: str) -> list[_Stem]:
    points = np.stack([stem.vector for stem in level]).astype(np.float32)
    found = clusters(points, -(-len(level) // A_CLUSTER))
    above = [_joined(scope, [level[number] for number in numbers], seed) for numbers in found]
    return sorted(above, key=_order)


def _joined(scope: uuid.UUID, stems: Sequence[_Stem], seed: str) -> _Stem:
    """Return the node over *stems*, which are in the order of rank."""
    names = "/".join(sorted(str(stem.id) for stem in stems))
    id_ = uuid.uuid5(scope, f"tree/{seed}/{hashlib.sha256(names.encode()).hexdigest()}")
    return _Stem(id_, stems[0].rank, _mean([stem.vector for stem in stems]), tuple(stem.id for stem in stems))


def _nearest(points: Points, centres: Points) -> npt.NDArray[np.intp]:
    """Return the index of the nearest centre of each point.

    A centre without points takes the point that is farthest from its nearest centre.
    """
    members = np.empty(len(points), dtype=np.intp)
    nearness = np.empty(len(points), dtype=np.float32)
    for start in range(0, len(points), ROWS):
        found = np.round(points[start : start + ROWS] @ centres.T, DIGITS)
        best = found.argmax(axis=1)
        members[start : start + ROWS] = best
        nearness[start : start + ROWS] = found[np.arange(len(best)), best]
    sizes = np.bincount(members, minlength=len(centres))
    for empty in np.flatnonzero(sizes == 0):
        spare = np.flatnonzero(sizes[members] > 1)
        taken = spare[nearness[spare].argmin()]
        sizes[members[taken]] -= 1
        sizes[empty], members[taken], nearness[taken] = 1, empty, 1
    return members


def _mean(vectors: Points | Sequence[Points]) -> Points:
    """Return the normalised mean of *vectors*, or zeros if the sum of *vectors* is zero."""
    mean = np.asarray(vectors, dtype=np.float64).mean(axis=0)
    length = float(np.linalg.norm(mean))
    return np.asarray(mean / length if length else mean, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Summed:
    """The summary of an unarchived session: the *fact* that stores it, the *name* of its subject, and its lines."""

    fact: uuid.UUID
    name: str
    lines: Sequence[Line]
    vector: Points | None


@dataclass(frozen=True, slots=True)
class NodeText:
    """The lines of a node of the tree, and the *vector* of their text.

    *whence* has the origin of each line: the fact of a summary, and the index of the line in this summary.
    """

    lines: Sequence[Line]
    whence: Sequence[tuple[uuid.UUID, int]]
    vector: Points

    @property
    def text(self) -> str:
        """The lines, joined by line breaks."""
        return join(self.lines)


@dataclass(frozen=True, slots=True)
class Grown:
    """A change that a run writes: the tree of a scope gets these *nodes*. *node_texts* are the texts of new nodes.

    The texts have vectors in *space*.
    """

    nodes: Sequence[Node]
    node_texts: Mapping[uuid.UUID, NodeText]
    space: tuple[str, int]


def nodes_over(scope: uuid.UUID, leaves: Sequence[Summed], space: str, dimensions: int) -> list[Node]:
    """Return the nodes of the tree over *leaves* in an embedding space. A leaf may have no vector in this space."""
    nothing = np.zeros(dimensions, np.float32)
    points = [Leaf(one.fact, one.name, nothing if one.vector is None else one.vector) for one in leaves]
    return grow(scope, points, seed=space)


def node_lines(
    nodes: Sequence[Node], leaves: Sequence[Summed]
) -> tuple[dict[uuid.UUID, Sequence[Line]], dict[Line, tuple[uuid.UUID, int]]]:
    """Return the lines of every node, and a mapping from each line to its summary and to the index of the line there.

    The lines of a node are the best lines below it.
    """
    lines: dict[uuid.UUID, Sequence[Line]] = {leaf.fact: leaf.lines for leaf in leaves}
    whence = {line: (leaf.fact, place) for leaf in leaves for place, line in enumerate(leaf.lines)}
    for node in nodes:
        if node.level:
            lines[node.id] = best(line for child in node.children for line in lines[child])
    return lines, whence
