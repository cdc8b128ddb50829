"""Counts for operators and monitoring: pending work, outcomes of runs, model calls, and measurements."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from slowwave.domain.scope import Scope
from slowwave.formatting import brief, many, since
from slowwave.former_names import warn_of_former

MOST_WITHOUT_CLAIMS = 0.8
ENOUGH_REPLIES = 5
"""The fewest replies by which a model is judged, because some conversations contain no facts."""


@dataclass(frozen=True, slots=True)
class ProviderState:
    """A provider, with the number of calls *under_way*, the limit of this number (*width*), and the consecutive
    *failures*.

    If *open_until* is set, the circuit breaker is open until that time, and no calls are made.
    """

    name: str
    under_way: int
    width: int
    failures: int
    open_until: datetime | None

    def __repr__(self) -> str:
        return brief(self, self.name, f"{self.under_way} of {self.width}", since(self.open_until, "open until"))


@dataclass(frozen=True, slots=True)
class RejectedClaim:
    """A rejected claim of a model, with the scope and position of its episode, and the reason.

    *said* is the claim in the form of the model's reply, or None if the claim was erased.
    """

    at: datetime
    user: str
    pack: str
    request: str
    position: int
    reason: str
    said: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class ModelCallsOverview:
    """A tenant's model requests: how many are *pending* and *asked* (sent), how many windows wait, and today's cost.

    *windows* wait for replies. *paused_until* is the start of the next day, if the rest of today's budget cannot pay
    for the oldest request. *replies* is the number of replies read within a day. *without_claims* is the number of
    these replies from which no claim was accepted.
    """

    pending: int
    asked: int
    windows: int
    spent_tokens: int
    spent_money: float
    cap_tokens: int | None
    cap_money: float | None
    paused_until: datetime | None
    replies: int = 0
    without_claims: int = 0
    providers: Sequence[ProviderState] = ()

    @property
    def speechless(self) -> bool:
        """True if a model answers, but almost no reply has a supported claim.

        Perhaps the model does not follow the prompt.
        """
        return self.replies >= ENOUGH_REPLIES and self.without_claims >= MOST_WITHOUT_CLAIMS * self.replies

    @property
    def silent(self) -> int:
        """The former name of `without_claims`."""
        warn_of_former("silent", "without_claims")
        return self.without_claims

    def __repr__(self) -> str:
        return brief(self, many(self.pending, "request"), many(self.windows, "window"), f"{self.spent_tokens} tokens")


@dataclass(frozen=True, slots=True)
class Waiting:
    """Pending work of one *job*: the number of scopes or slices with such work, and the time when the first work
    starts.

    Work starts when it is due, or earlier if its scope has been idle long enough for an idle schedule.
    """

    job: str
    count: int
    first: datetime

    def __repr__(self) -> str:
        return brief(self, self.job, self.count, since(self.first, "first"))


@dataclass(frozen=True, slots=True)
class Retry:
    """Work of one *job* that waits after a failure, at the longest *until* the given time.

    *scope* is None for work that belongs to no user.
    """

    job: str
    until: datetime
    scope: Scope | None = None

    def __repr__(self) -> str:
        return brief(self, self.job, self.scope.key if self.scope else None, since(self.until, "until"))


@dataclass(frozen=True, slots=True)
class Due:
    """Work that a worker could claim now, and the time when it came due (*since*)."""

    scope: uuid.UUID
    job: str
    since: datetime

    def __repr__(self) -> str:
        return brief(self, self.job, since(self.since), id=self.scope)


@dataclass(frozen=True, slots=True)
class Overview:
    """The size of a tenant's memory, and the progress of the work on it.

    *waiting* counts all pending work, and *queue* lists pending work by job. *unread_episodes* is the number of unread
    episodes, summed over scopes, for the slowest pack of each scope. *lag* is the time since the oldest due work came
    due. *partitions* has, for each partitioned table, the time up to which the table has partitions. *ticked* is the
    time of the last completed tick of a scheduler. *model_calls* is the state of the model calls; *desk* is the former
    name of this field, and has the same value. *unread* counts the turns of the last day in languages that no pack
    reads, by language code. *retries* is the work that waits after a failure, the longest wait first; at most a
    thousand are listed.
    """

    scopes: int
    episodes: int
    unread_episodes: int
    facts: int
    deltas: Mapping[str, int]
    waiting: int
    running: int
    lag: timedelta
    dead_letters: Mapping[str, int]
    partitions: Mapping[str, datetime]
    ticked: datetime | None
    queue: Sequence[Waiting] = ()
    desk: ModelCallsOverview | None = None
    unread: Mapping[str, int] = field(default_factory=dict)
    retries: Sequence[Retry] = ()
    model_calls: ModelCallsOverview | None = None

    @property
    def behind(self) -> int:
        """The former name of `unread_episodes`."""
        warn_of_former("behind", "unread_episodes")
        return self.unread_episodes

    def __repr__(self) -> str:
        return brief(self, many(self.episodes, "episode"), many(self.facts, "fact"), f"{self.waiting} waiting")


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run in the history. *outcome* and *finished* are None while the run goes on.

    A run of a job that reads no episodes has no *scope*. Such a run worked on a *slice* of the tenant, or on the
    installation. *task* is the id of the Celery task that did the run. *version* is the version of the pack. *reader*
    is the version of the pack's extractor, if the extractor has versions.
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
    """A user, with the numbers of the user's *episodes* and *scopes*, and the time of the user's last episode
    (*heard*).
    """

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
class WorkerLag:
    """The age of the oldest due work, and the time since the last scheduler tick, in seconds. None means never."""

    lag_seconds: float
    ticked_seconds_ago: float | None

    def __repr__(self) -> str:
        return brief(self, f"{self.lag_seconds:.1f} s")


@dataclass(frozen=True, slots=True)
class Work:
    """The numbers of pending intents of one *job*: intents that are *due*, due for more than a minute (*late*), and
    *running*.

    The counting stops at a limit; see `PostgresMetrics`.
    """

    job: str
    due: int
    late: int
    running: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The *runs* of a *job* that ended in the last five minutes with one *outcome*, and their total *seconds*."""

    job: str
    outcome: str
    runs: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Measurements:
    """An installation at one moment. Ages are in seconds, by the database's clock; None means never.

    *ended*, *deltas* (by kind), *prepared* (episodes) and *lag* (median, maximum) cover the last five minutes.
    *counted*, *took* (the histogram of recalls), *calls*, *tokens* and *money* cover the current day in UTC, and
    restart at midnight. The installation has *tenants* tenants. The counts of the day, and *letters*, cover
    only *counting* of them, the first in the order of names.
    """

    work: Sequence[Work]
    oldest: float
    ended: Sequence[Ended]
    deltas: Mapping[str, int]
    prepared: int
    lag: tuple[float, float] | None
    seen: Mapping[str, float]
    partitions: Mapping[str, float]
    rows: Mapping[str, float]
    bytes: int
    tenants: int
    counting: int
    requests: Mapping[str, int]
    providers: Sequence[ProviderState]
    calls: Mapping[str, int]
    tokens: int
    money: float
    counted: Mapping[str, int]
    took: Mapping[int, int]
    letters: Mapping[str, int]

    def __repr__(self) -> str:
        return brief(self, f"{sum(one.due for one in self.work)} due", f"oldest {self.oldest:.0f} s")
