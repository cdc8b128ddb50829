"""Segments of a prepared window: conversations with new episodes, finished segments, and the running segment."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RecordConversations:
    """An effect: record the window's episodes in their conversations."""


@dataclass(frozen=True, slots=True)
class Segment:
    """An effect: a segment of a session has ended, from position *first* to *last*.

    *number* counts the segments of the session, from 1. *events* is the number of episodes of this segment. *distance*
    is the distance of the next segment from the centre of this segment.
    """

    session: str
    number: int
    first: int
    last: int
    distance: float
    events: int


@dataclass(frozen=True, slots=True)
class RunningSegment:
    """An effect: the running segment of a session, which follows *number* finished segments.

    It began at position *first*. *recent* are the positions of the newest events of this segment. *before* are the
    positions of the newest events of the previous segment.
    """

    session: str
    number: int
    first: int
    recent: tuple[int, ...]
    before: tuple[int, ...]
