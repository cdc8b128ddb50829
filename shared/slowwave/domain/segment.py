"""Segments of sessions, and the writes of a run that record conversations and segments."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RecordConversations:
    """A write of a run, besides its decisions: record the window's episodes in their conversations."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A write of a run, besides its decisions: record an ended segment of a session, from position *first* to *last*.

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
    """A write of a run, besides its decisions: record the running segment, which follows *number* finished segments.

    The segment began at position *first*. *recent* are the positions of the newest events of this segment. *before* are
    the positions of the newest events of the previous segment.
    """

    session: str
    number: int
    first: int
    recent: tuple[int, ...]
    before: tuple[int, ...]
