"""Segments of a session. An event begins a new segment if its vector is far from the vectors of the running segment.

For each event, the cosine distance to the centre of the running segment is computed. With the reference `consolidated`,
it is the distance to the centre of the segment that ended last. If the distance is above the threshold, this is a
semantic shift: the running segment ends before the event, and the event begins the next segment.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from slowwave.formatting import brief, many

if TYPE_CHECKING:  # the cadence of a pack reads the constants without numpy
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]
else:
    Vector = object

THRESHOLD = 0.30
"""The cosine distance above which an event does not belong to a segment."""
MIN_EVENTS = 3
"""The fewest events of a segment. With this minimum, a single stray remark does not end a segment."""
REACH = 64
"""The number of newest events of a segment from which its centre is computed. A restart reads only these events
again."""

Reference = Literal["segment", "consolidated"]
EventKind = Literal["message", "model_call", "tool_call", "memory_read"]


@dataclass(frozen=True, slots=True)
class ShiftRule:
    """The rule of a semantic shift.

    *threshold* is a cosine distance, from 0 to 2. *min_events* is the fewest events of a segment.
    """

    threshold: float = THRESHOLD
    min_events: int = MIN_EVENTS
    reference: Reference = "segment"


@dataclass(frozen=True, slots=True, eq=False)
class EventNode:
    """One event of a session. *vector* has length 1. *vector* is None if the embedder finds no meaning in the words."""

    position: int
    kind: EventKind
    vector: Vector | None
    content: str = ""

    def __repr__(self) -> str:
        return brief(self, self.kind, self.content, id=self.position)


@dataclass(frozen=True, slots=True, eq=False)
class SemanticShiftEvent:
    """The end of a segment. *closed* are the events of the segment, in order. *event* begins the next segment, at
    *distance* from the centre.

    *number* counts the segments of the session, from 1. *first* and *last* are the first and last positions of the
    segment.
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
    """The events of one session, in order, up to the running segment. The graph is never stored.

    To continue after a restart, pass three values to the constructor: the *number* of ended segments, the first
    position of the running segment, and the newest `REACH` events of the running segment and of the segment before.
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
        """The newest events of the running segment, from which its centre is computed."""
        return tuple(self._recent)

    def add(self, node: EventNode) -> SemanticShiftEvent | None:
        """Append an event. If the event begins a new segment, return the semantic shift; otherwise, return None.

        The attribute *distance* is set to the distance of the event, or to None if it cannot be computed.
        """
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


def centre(nodes: Iterable[EventNode]) -> "npt.NDArray[np.float64] | None":
    """Return the sum of the events' vectors, which has the direction of the mean. Return None if no event has a vector.

    The vectors are summed again each time, in the order of the events. Therefore the same events give the same bits.
    """
    import numpy as np

    vectors: Sequence[Vector] = [node.vector for node in nodes if node.vector is not None]
    return np.sum(np.stack(vectors), axis=0, dtype=np.float64) if vectors else None


def cosine_distance(vector: Vector | None, other: "npt.NDArray[np.float64] | None") -> float | None:
    """Return the cosine distance: 0 for the same direction, 1 for orthogonal vectors, and 2 for opposite directions.

    >>> import numpy as np
    >>> cosine_distance(np.array([1, 0], np.float32), np.array([0.0, 3.0]))
    1.0
    """
    import numpy as np

    if vector is None or other is None:
        return None
    lengths = float(np.linalg.norm(vector)) * float(np.linalg.norm(other))
    return 1.0 - float(np.dot(vector.astype(np.float64), other)) / lengths if lengths else None
