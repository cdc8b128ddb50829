"""Segments of a prepared window: that its conversations were heard, which segments are over, which one runs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Heard:
    """An effect: the window's episodes belong to their conversations now."""


@dataclass(frozen=True, slots=True)
class Segment:
    """An effect: a segment of a session is over. It stood from position *first* to *last*.

    *number* counts the segments of the session, from 1. *distance* is how far the next one lay, *events* how many
    made the centre it was measured from.
    """

    session: str
    number: int
    first: int
    last: int
    distance: float
    events: int


@dataclass(frozen=True, slots=True)
class RunningSegment:
    """An effect: this is the running segment of a session, after *number* that are over. It began at position *first*.

    *recent* are the positions of its newest events, *before* those of the segment before it.
    """

    session: str
    number: int
    first: int
    recent: tuple[int, ...]
    before: tuple[int, ...]
