"""Segments of a prepared window: conversations with new episodes, finished segments, and the running one."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RecordConversations:
    """An effect: record the window's episodes in their conversations."""


@dataclass(frozen=True, slots=True)
class Segment:
    """An effect: a segment of a session has ended, from position *first* to *last*.

    *number* counts the segments of the session, from 1. *distance* is that of the next segment, measured from the
    centre of this one, which *events* episodes make up.
    """

    session: str
    number: int
    first: int
    last: int
    distance: float
    events: int


@dataclass(frozen=True, slots=True)
class RunningSegment:
    """An effect: the running segment of a session, after *number* finished ones. It began at position *first*.

    *recent* are the positions of its newest events, *before* those of the segment before it.
    """

    session: str
    number: int
    first: int
    recent: tuple[int, ...]
    before: tuple[int, ...]
