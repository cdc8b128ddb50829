"""Tellings: what a model has told of a session or a node of the tree, and the request that it is to tell by next."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from slowwave.core.summaries.rolling import Line
from slowwave.domain.episode import StoredEpisode
from slowwave.ports import Vectors
from slowwave.ports.desk import Planned, Reply


@dataclass(frozen=True, slots=True)
class Telling:
    """The *lines* that a *model* tells *about* the subject of a session, or a node by its id; none where quotes do.

    Of a *session* they sum up what was said there up to the position *covered*, of *reached*. *request* is the one by
    which it was told, or which gave nothing to tell; *waiting* the one whose reply tells what was said *upto* there.
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
    """A telling whose next request is to be made, or waits; with the *reply* there is to it, and its *edition*."""

    telling: Telling
    reply: Reply | None = None
    edition: str = ""


@dataclass(frozen=True, slots=True)
class Heard:
    """An effect: so far messages of these sessions are summed up, by position; a model may be asked about them."""

    reached: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Retold:
    """An effect: these *tellings* as they are to stand, their vectors of a *space*, and the requests they wait for.

    *let_go* are requests that nobody waits for; those that were to be cut in two and cannot be are hopeless.
    """

    tellings: Sequence[Telling]
    planned: Planned
    let_go: Sequence[str] = ()
    space: tuple[str, int] = ("", 0)


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of the tree with its *quotes*, and what a model tells *about* it, as far as it was asked."""

    id: uuid.UUID
    level: int
    parent: uuid.UUID | None
    quotes: Sequence[Line]
    about: str
    open: Open | None = None


class BranchStore(Protocol):
    """The tree of a scope. Raises `Unavailable`."""

    def branches(self, tenant: str, scope: uuid.UUID) -> Sequence[Branch]:
        """Return the nodes of the tree, none while it is to be grown anew."""


class TellingStore(Protocol):
    """The tellings as the database keeps them. Every method is one transaction; raises `Unavailable`."""

    def open(self, tenant: str, scope: uuid.UUID) -> Sequence[Open]:
        """Return the tellings of sessions that wait for a reply, or have more to tell of."""

    def of(self, tenant: str, scope: uuid.UUID, sessions: Sequence[str]) -> Sequence[Open]:
        """Return the tellings of these sessions."""

    def said(
        self, tenant: str, scope: uuid.UUID, session: str, *, after: int, upto: int, most: int
    ) -> list[StoredEpisode]:
        """Return the first *most* messages of a session after a position, up to another."""

    def at(self, tenant: str, scope: uuid.UUID, positions: Sequence[int]) -> Mapping[int, StoredEpisode]:
        """Return the episodes at *positions* that are still there, by position."""
