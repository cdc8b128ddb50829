"""Counts for an operator: how much there is, what waits, how runs ended."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from slowwave.brief import brief, many, since
from slowwave.domain.model.overview import DeskOverview
from slowwave.domain.scope import Scope


@dataclass(frozen=True, slots=True)
class Waiting:
    """Work of one *job* that is asked for and not begun: in how many scopes or slices, and when the *first* goes.

    It goes when it is due, or when its scope has been silent for as long as a schedule waits for, if that is sooner.
    """

    job: str
    count: int
    first: datetime

    def __repr__(self) -> str:
        return brief(self, self.job, self.count, since(self.first, "first"))


@dataclass(frozen=True, slots=True)
class Due:
    """Work that a worker could take up at once, and since when it could."""

    scope: uuid.UUID
    job: str
    since: datetime

    def __repr__(self) -> str:
        return brief(self, self.job, since(self.since), id=self.scope)


@dataclass(frozen=True, slots=True)
class Overview:
    """The size of a tenant's memory, and how far the work on it has come.

    *waiting* counts the work that is asked for and not begun, whether its time has come or not; *queue* says which it
    is. *behind* is how many episodes the slowest pack of each scope has yet to read; *lag* is how long the work that
    has waited longest has been due. *partitions* say up to when each partitioned table has room of its own, *ticked*
    when a scheduler last came through a tick. *desk* is what waits for language models. *unread* counts the turns of a
    day, by the codes of languages that no pack reads.
    """

    scopes: int
    episodes: int
    behind: int
    facts: int
    deltas: Mapping[str, int]
    waiting: int
    running: int
    lag: timedelta
    dead_letters: Mapping[str, int]
    partitions: Mapping[str, datetime]
    ticked: datetime | None
    queue: Sequence[Waiting] = ()
    desk: DeskOverview | None = None
    unread: Mapping[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        return brief(self, many(self.episodes, "episode"), many(self.facts, "fact"), f"{self.waiting} waiting")


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run as it is looked at afterwards. *outcome* and *finished* are None while it goes on.

    A job that reads no episodes has no *scope*: it worked on a *slice* of the tenant, or for the installation. *task*
    is the id of the Celery task that did it. *version* is that of its pack, *reader* says what that read with, where it
    has versions of its own.
    """

    run: int
    scope: Scope | None
    slice: int | None
    job: str
    pack: str
    version: int
    reader: str | None
    lo: int
    hi: int
    owner: str
    started: datetime
    finished: datetime | None
    outcome: str | None
    counts: Mapping[str, int]
    error: str | None
    task: str | None

    @property
    def duration(self) -> timedelta | None:
        """The time it took."""
        return self.finished - self.started if self.finished else None

    def __repr__(self) -> str:
        return brief(self, self.job, self.outcome or "goes on", since(self.started), id=self.run)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody of whom *episodes* are remembered, in so many *scopes*; the last was *heard* then."""

    name: str
    scopes: int
    episodes: int
    heard: datetime

    def __repr__(self) -> str:
        return brief(self, self.name, many(self.episodes, "episode"), since(self.heard, "heard"))


@dataclass(frozen=True, slots=True)
class Moves:
    """The number of steps that memories took from one tier to another on a day in UTC."""

    day: date
    from_tier: str
    to_tier: str
    count: int

    def __repr__(self) -> str:
        return brief(self, self.day.isoformat(), f"{self.from_tier} to {self.to_tier}", self.count)


@dataclass(frozen=True, slots=True)
class Behind:
    """Seconds that the oldest due work has waited, and since a scheduler last came through a tick; None for never."""

    lag_seconds: float
    ticked_seconds_ago: float | None

    def __repr__(self) -> str:
        return brief(self, f"{self.lag_seconds:.1f} s")
