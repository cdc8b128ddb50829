"""The tree over summaries: near ones lie together under a node, near nodes under another, up to one root.

It is a function of the leaves alone, however they came: the same summaries give the same tree. A node's id is made of
what lies under it, so what is not touched keeps its id, and need not be summed up again.
"""

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

VERSION = 1
"""Of the way a tree is grown: a part of every id, so that a tree grown otherwise is grown anew."""
A_CLUSTER = 3
"""Nodes of a level for each of the next."""
ROUNDS = 8
"""Rounds of k-means at most; most levels stand still after four."""
ROWS = 1_024
"""Rows that are compared with all centres at once: what fits in memory however many leaves there are."""
DIGITS = 5
"""Digits of a cosine that count: the rest is the processor's own, and ties go by order."""

Points = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A summary: its *id*, a *name* that stays when it is summed up anew, and what it means; zeros where nothing."""

    id: uuid.UUID
    name: str
    vector: Points


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a tree, with the ids of what lies right under it; a leaf, at level 0, has none there."""

    id: uuid.UUID
    level: int
    parent: uuid.UUID | None
    children: tuple[uuid.UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class _Stem:
    """A node as it grows. The lowest *rank* of its leaves is its own: it stays when others come and go."""

    id: uuid.UUID
    rank: bytes
    vector: Points
    children: tuple[uuid.UUID, ...] = ()


def grow(scope: uuid.UUID, leaves: Sequence[Leaf], *, seed: str) -> list[Node]:
    """Return the nodes of the tree over *leaves*, the leaves first and the root last; none of no leaf.

    A level of n nodes has ceil(n / 3) above it. *seed* is a part of every id: the embedding space, say.
    """
    level = sorted((_Stem(leaf.id, _rank(leaf), leaf.vector) for leaf in leaves), key=_order)
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
    """Return so *many* clusters of the rows of *points*, none empty, by k-means that begins with the first rows."""
    centres = points[:many].copy()
    members = _nearest(points, centres)
    for _ in range(ROUNDS):
        centres = np.stack([_mean(points[members == number]) for number in range(many)])
        moved = _nearest(points, centres)
        if np.array_equal(moved, members):
            break
        members = moved
    return [np.flatnonzero(members == number).tolist() for number in range(many)]


def _rank(leaf: Leaf) -> bytes:
    """Return the place of a leaf in the order of its level: as good as drawn by lot, and always the same."""
    return hashlib.sha256(leaf.name.encode()).digest()


def _order(stem: _Stem) -> tuple[bytes, uuid.UUID]:
    return stem.rank, stem.id


def _above(scope: uuid.UUID, level: Sequence[_Stem], seed: str) -> list[_Stem]:
    """Return the level above one, in the order of rank."""
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
    """Return the number of the centre nearest to each point; a centre that would have none gets the worst placed."""
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
    """Return the mean of *vectors* at length 1; zeros where they mean nothing together."""
    mean = np.asarray(vectors, dtype=np.float64).mean(axis=0)
    length = float(np.linalg.norm(mean))
    return np.asarray(mean / length if length else mean, dtype=np.float32)
