"""Tellings: the model summaries of sessions and tree nodes, and their pending requests."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from slowwave.core.summaries.extractive_summary import Line
from slowwave.domain.episode import StoredEpisode
from slowwave.ports import Vectors
from slowwave.ports.model_calls import Planned, Reply


@dataclass(frozen=True, slots=True)
class Telling:
    """A model summary: the *lines* by *model* about a session's subject or a node's id; no lines while quotes are used.

    For a *session*, the lines sum up its messages up to the position *covered*; its last message is at *reached*.
    *request* is the request that gave the lines, or whose reply was refused. *waiting* is the pending request, whose
    reply covers the session up to *upto*.
    """

    about: str
    session: str | None = None
    reached: int = 0
    covered: int = 0
    upto: int = 0
    waiting: str | None = None
    request: str | None = None
    model: str | None = None
    lines: Sequence[Line] = ()
    vector: Vectors | None = None


@dataclass(frozen=True, slots=True)
class Open:
    """A model summary that waits for a reply or needs its next request; with the *reply* so far, and its *edition*."""

    telling: Telling
    reply: Reply | None = None
    edition: str = ""


@dataclass(frozen=True, slots=True)
class RecordSummarised:
    """An effect: record up to which position sessions are summarised by quotes, so that a model may be asked."""

    reached: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class WriteTellings:
    """An effect: write these *tellings* (model summaries), their vectors in *space*, and their pending requests.

    *let_go* are abandoned requests. Planned requests that were to be split but have a single turn become dead.
    """

    tellings: Sequence[Telling]
    planned: Planned
    let_go: Sequence[str] = ()
    space: tuple[str, int] = ("", 0)


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of the tree with its *quotes*, and the state of its model summary *about* it."""

    id: uuid.UUID
    level: int
    parent: uuid.UUID | None
    quotes: Sequence[Line]
    about: str
    open: Open | None = None


class BranchStore(Protocol):
    """The tree of a scope. Raises `Unavailable`."""

    def branches(self, tenant: str, scope: uuid.UUID) -> Sequence[Branch]:
        """Return the nodes of the tree; none while the tree is to be rebuilt."""


class TellingStore(Protocol):
    """The model summaries, as the database keeps them. Every method is one transaction; raises `Unavailable`."""

    def open(self, tenant: str, scope: uuid.UUID) -> Sequence[Open]:
        """Return the model summaries of sessions that wait for a reply, or have new turns."""

    def of(self, tenant: str, scope: uuid.UUID, sessions: Sequence[str]) -> Sequence[Open]:
        """Return the model summaries of these sessions."""

    def said(
        self, tenant: str, scope: uuid.UUID, session: str, *, after: int, upto: int, most: int
    ) -> list[StoredEpisode]:
        """Return the first *most* messages of a session at positions above *after*, up to *upto*."""

    def at(self, tenant: str, scope: uuid.UUID, positions: Sequence[int]) -> Mapping[int, StoredEpisode]:
        """Return the episodes at *positions* that still exist, by position."""
