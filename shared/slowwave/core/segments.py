"""Segments of a session: where one ends and the next begins, told event by event from what the events mean.

After every event its cosine distance to the centre of the running segment is taken (or, by the reference
`consolidated`, to that of the segment that ended last). A distance above the threshold is a semantic shift: the running
segment ends before the event, which begins the next.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from slowwave.brief import brief, many

THRESHOLD = 0.30
"""How far an event lies from a segment it does not belong to: more than this, as a cosine distance."""
MIN_EVENTS = 3
"""The fewest events of a segment: one stray remark is no change of it."""
REACH = 64
"""Events of a segment that make its centre, the newest: so many are read again after a restart, however long it is."""

Reference = Literal["segment", "consolidated"]
EventKind = Literal["message", "model_call", "tool_call", "memory_read"]

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ShiftRule:
    """The rule of a semantic shift. *threshold* is a cosine distance, 0 to 2; *min_events* the fewest events."""

    threshold: float = THRESHOLD
    min_events: int = MIN_EVENTS
    reference: Reference = "segment"


@dataclass(frozen=True, slots=True, eq=False)
class EventNode:
    """One thing an agent did. *vector* has length 1, or is None where the words say nothing to the embedder."""

    position: int
    kind: EventKind
    vector: Vector | None
    content: str = ""

    def __repr__(self) -> str:
        return brief(self, self.kind, self.content, id=self.position)


@dataclass(frozen=True, slots=True, eq=False)
class SemanticShiftEvent:
    """A segment has ended: *closed* are its events, in order; *event*, *distance* away from it, begins the next.

    *number* counts the segments of the session, from 1. *first* and *last* are the positions of its ends.
    """

    session: str
    number: int
    first: int
    last: int
    distance: float
    closed: tuple[EventNode, ...]
    event: EventNode

    def __repr__(self) -> str:
        return brief(self, f"session {self.session}", many(len(self.closed), "event"), f"distance {self.distance:.2f}")


@dataclass(eq=False)
class EventGraph:
    """The events of one session, in order, as far as the running segment goes. Never stored: it ends with it.

    To go on after a restart, give it back what it was: the *number* of segments that ended, the position at which the
    running one began, its newest `REACH` events and those of the segment before it.
    """

    session: str
    rule: ShiftRule = ShiftRule()
    number: int = 0
    first: int | None = None
    nodes: list[EventNode] = field(default_factory=list)
    consolidated: tuple[EventNode, ...] = ()
    distance: float | None = None
    _recent: deque[EventNode] = field(init=False, default_factory=lambda: deque(maxlen=REACH))

    def __post_init__(self) -> None:
        self._recent.extend(self.nodes)

    @property
    def recent(self) -> tuple[EventNode, ...]:
        """The newest events of the running segment, which make its centre."""
        return tuple(self._recent)

    def add(self, node: EventNode) -> SemanticShiftEvent | None:
        """Append an event; return the semantic shift it is, if it is one. Sets *distance*, None where there is none."""
        self.distance = self._distance(node)
        shift = self._shift(node, self.distance)
        if shift is not None:
            self.number, self.first, self.nodes = shift.number, None, []
            self.consolidated = self.recent
            self._recent.clear()
        self.first = node.position if self.first is None else self.first
        self.nodes.append(node)
        self._recent.append(node)
        return shift

    def __repr__(self) -> str:
        return brief(self, f"session {self.session}", f"topic {self.number + 1}", many(len(self.nodes), "event"))

    def _distance(self, node: EventNode) -> float | None:
        reference = self.rule.reference == "consolidated" and self.consolidated
        return cosine_distance(node.vector, centre(reference or self._recent))

    def _shift(self, node: EventNode, distance: float | None) -> SemanticShiftEvent | None:
        if distance is None or distance <= self.rule.threshold or len(self._recent) < self.rule.min_events:
            return None
        first = self._recent[0].position if self.first is None else self.first
        return SemanticShiftEvent(
            session=self.session,
            number=self.number + 1,
            first=first,
            last=self._recent[-1].position,
            distance=distance,
            closed=tuple(self.nodes),
            event=node,
        )


def centre(nodes: Iterable[EventNode]) -> npt.NDArray[np.float64] | None:
    """Return the sum of the events' vectors, which points where their mean does; None where none has a vector.

    It is summed anew each time, in the events' order: the same events give the same bits, however they came together.
    """
    vectors: Sequence[Vector] = [node.vector for node in nodes if node.vector is not None]
    return np.sum(np.stack(vectors), axis=0, dtype=np.float64) if vectors else None


def cosine_distance(vector: Vector | None, other: npt.NDArray[np.float64] | None) -> float | None:
    """Return the cosine distance, 0 to 2: 0 for the same direction, 1 for nothing in common, 2 for opposed.

    >>> cosine_distance(np.array([1, 0], np.float32), np.array([0.0, 3.0]))
    1.0
    """
    if vector is None or other is None:
        return None
    lengths = float(np.linalg.norm(vector)) * float(np.linalg.norm(other))
    return 1.0 - float(np.dot(vector.astype(np.float64), other)) / lengths if lengths else None
