"""Counts for an operator: the size of the memory, the pending work, and the outcomes of runs."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from slowwave.domain.model_calls.overview import DeskOverview
from slowwave.domain.scope import Scope
from slowwave.formatting.summary_lines import brief, many, since


@dataclass(frozen=True, slots=True)
class Waiting:
    """Pending work of one *job*: the number of scopes or slices with such work, and when the *first* starts.

    Work starts when it is due, or earlier if its scope has been idle long enough for an idle schedule.
    """

    job: str
    count: int
    first: datetime

    def __repr__(self) -> str:
        return brief(self, self.job, self.count, since(self.first, "first"))


@dataclass(frozen=True, slots=True)
class Due:
    """Work that a worker could claim now, and the time since when."""

    scope: uuid.UUID
    job: str
    since: datetime

    def __repr__(self) -> str:
        return brief(self, self.job, since(self.since), id=self.scope)


@dataclass(frozen=True, slots=True)
class Overview:
    """The size of a tenant's memory, and the progress of the work on it.

    *waiting* counts pending work, due or not; *queue* lists pending work by job. *behind* is the number of episodes
    that the slowest pack of each scope still has to read; *lag* is how long the oldest due work has been due.
    *partitions* has the time up to which each partitioned table has partitions, *ticked* the last completed tick of a
    scheduler. *desk* is the state of the model calls. *unread* counts a day's turns by language code, for the languages
    that no pack reads.
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
    """A run in the history. *outcome* and *finished* are None while the run goes on.

    A run of a job that reads no episodes has no *scope*: it worked on a *slice* of the tenant, or on the installation.
    *task* is the id of the Celery task that did the run. *version* is the pack's version, *reader* the version of the
    pack's extractor, if the extractor has versions.
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
        """The time that the run took."""
        return self.finished - self.started if self.finished else None

    def __repr__(self) -> str:
        return brief(self, self.job, self.outcome or "goes on", since(self.started), id=self.run)


@dataclass(frozen=True, slots=True)
class Person:
    """A user: the numbers of their *episodes* and *scopes*, and the time of their last episode (*heard*)."""

    name: str
    scopes: int
    episodes: int
    heard: datetime

    def __repr__(self) -> str:
        return brief(self, self.name, many(self.episodes, "episode"), since(self.heard, "heard"))


@dataclass(frozen=True, slots=True)
class Moves:
    """The number of moves from one tier to another on one UTC day."""

    day: date
    from_tier: str
    to_tier: str
    count: int

    def __repr__(self) -> str:
        return brief(self, self.day.isoformat(), f"{self.from_tier} to {self.to_tier}", self.count)


@dataclass(frozen=True, slots=True)
class Behind:
    """The age of the oldest due work, and the time since the last scheduler tick, in seconds; None for never."""

    lag_seconds: float
    ticked_seconds_ago: float | None

    def __repr__(self) -> str:
        return brief(self, f"{self.lag_seconds:.1f} s")
