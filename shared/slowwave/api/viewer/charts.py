"""Layouts of drawings (time lines, time planes, bars, curves, graphs), in the units of each drawing's own view box."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from slowwave.core.time_spans import BEGINNING
from slowwave.domain.fact import Fact

WIDE = 1_000.0
"""The width of a time line."""
_LEAST = 6.0
"""The minimum width of a part of a time line, so that even one second is visible."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The days from *start* to *end*, on a line from 0 to `WIDE`."""

    start: datetime
    end: datetime

    def at(self, instant: datetime) -> float:
        """Return the position of an instant. An instant beyond an end of the axis has the position of this end."""
        span = (self.end - self.start).total_seconds() or 1.0
        return round(min(max((instant - self.start).total_seconds() / span, 0.0), 1.0) * WIDE, 1)

    def span(self, since: datetime, until: datetime | None) -> tuple[float, float]:
        """Return the start and width of a time span. A span with an open end reaches the end of the axis."""
        left, right = self.at(since), WIDE if until is None else self.at(until)
        width = max(right - left, _LEAST)
        return min(left, WIDE - width), round(width, 1)

    def marks(self, count: int = 4) -> list[tuple[float, datetime]]:
        """Return evenly spaced instants with their positions, including both ends."""
        step = (self.end - self.start) / count
        return [(self.at(self.start + step * number), self.start + step * number) for number in range(count + 1)]


def axis(instants: Sequence[datetime], now: datetime) -> Axis:
    """Return the axis that covers all *instants* and *now*, with a margin on both sides."""
    known = [each for each in instants if each != BEGINNING] or [now]
    first, last = min(*known, now), max(*known, now)
    room = max((last - first) * 0.06, timedelta(hours=1))
    return Axis(first - room, last + room)


def times(facts: Sequence[Fact]) -> list[datetime]:
    """Return the known times at which *facts* became true or stopped being true."""
    return [each for fact in facts for each in (fact.valid_from, fact.valid_to) if each is not None]


@dataclass(frozen=True, slots=True)
class Patch:
    """The rectangle of a fact's version on the plane of valid time and recorded time.

    *tone* is the colour of the fact.
    """

    fact: Fact
    x: float
    y: float
    width: float
    height: float
    tone: int


@dataclass(frozen=True, slots=True)
class Steps:
    """Instants of changes, evenly spaced, so that short and long periods are equally readable."""

    instants: Sequence[datetime]
    size: float

    def at(self, instant: datetime | None) -> float:
        """Return the position of one of the *instants*. The position of None is the open end."""
        place = len(self.instants) if instant is None else self.instants.index(instant)
        return round(place * self.size / max(len(self.instants), 1), 1)

    @property
    def marks(self) -> list[tuple[float, datetime]]:
        """The instants with their positions; of more than six instants, an even selection."""
        every = -(-len(self.instants) // 6)
        return [(self.at(each), each) for each in self.instants[::every]]


def plane(versions: Sequence[Fact], *, height: float) -> tuple[list[Patch], Steps, Steps]:
    """Return *versions* as rectangles, with valid time from left to right and recorded time from top to bottom."""
    so = Steps(sorted({each for one in versions for each in (one.valid_from, one.valid_to) if each}), WIDE)
    known = Steps(sorted({each for one in versions for each in (one.recorded_from, one.recorded_to) if each}), height)
    tones = {fact: number for number, fact in enumerate(dict.fromkeys(version.id for version in versions))}
    patches = []
    for one in versions:
        x, y = so.at(one.valid_from), known.at(one.recorded_from)
        wide, tall = so.at(one.valid_to) - x, known.at(one.recorded_to) - y
        patches.append(Patch(one, x, y, round(wide, 1), round(tall, 1), tones[one.id] % 4))
    return patches, so, known


def curve(values: Sequence[float], *, width: float, height: float) -> str:
    """Return the points of a line through evenly spaced *values*, which are between 0 and 1.

    >>> curve([1.0, 0.5], width=100, height=20)
    '0.0,1.0 100.0,10.0'
    """
    step = width / max(len(values) - 1, 1)
    return " ".join(f"{i * step:.1f},{1 + (1 - value) * (height - 2):.1f}" for i, value in enumerate(values))


def bars(values: Sequence[int], *, width: float, height: float) -> list[tuple[float, float, float, float]]:
    """Return left, top, width and height of each bar. The highest bar has the height of the drawing."""
    most, step = max(values, default=0) or 1, width / max(len(values), 1)
    tall = [max(2.0, height * value / most) if value else 0.0 for value in values]
    return [
        (round(i * step + step * 0.15, 1), round(height - each, 1), round(step * 0.7, 1), round(each, 1))
        for i, each in enumerate(tall)
    ]


def layout(
    nodes: Sequence[uuid.UUID], edges: Sequence[tuple[uuid.UUID, uuid.UUID]], *, width: float, height: float
) -> Mapping[uuid.UUID, tuple[float, float]]:
    """Return a position per node. Connected nodes are close together, and equal input gives equal positions.

    The nodes start on a spiral. Then nodes repel each other and edges attract their nodes, with decreasing force
    (Fruchterman and Reingold 1991).
    """
    count = len(nodes)
    if not count:
        return {}
    turn = np.arange(count) * 2.399963  # the golden angle: no two nodes are in line
    place = np.sqrt((np.arange(count) + 0.5) / count)[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
    number = {node: i for i, node in enumerate(nodes)}
    ends = np.array([(number[a], number[b]) for a, b in edges if a != b], dtype=int).reshape(-1, 2)
    best = 1.2 / np.sqrt(count)
    for step in np.linspace(0.2, 0.002, 300):
        apart = place[:, None] - place[None]
        far = np.sqrt((apart**2).sum(-1)) + 1e-6
        push = (apart * (best**2 / far**2)[..., None]).sum(1) - 1.6 * best * place
        along = place[ends[:, 0]] - place[ends[:, 1]]
        pull = along * np.sqrt((along**2).sum(-1, keepdims=True)) / best * 0.5
        np.subtract.at(push, ends[:, 0], pull)
        np.add.at(push, ends[:, 1], pull)
        size = np.sqrt((push**2).sum(-1, keepdims=True)) + 1e-9
        place = place + push / size * np.minimum(size, step)
    low, high = place.min(0), place.max(0)
    room = np.where(high - low > 1e-6, high - low, 1.0)
    margin = np.array([90.0, 42.0])
    scaled = margin + (place - low) / room * (np.array([width, height]) - 2 * margin)
    return {node: (round(float(x), 1), round(float(y), 1)) for node, (x, y) in zip(nodes, scaled, strict=True)}
