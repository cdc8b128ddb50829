"""Ports: the interfaces that jobs and retrieval need."""

import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from slowwave.domain.claim import Claim
from slowwave.domain.dead_letter import Refused
from slowwave.domain.episode import Episode, StoredEpisode
from slowwave.domain.overview import Due
from slowwave.domain.receipt import Spooled, StoreOutcome
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.ports.context import FindsUpcoming, LateStore
from slowwave.ports.following import Follows

if TYPE_CHECKING:  # a broker-only client imports this module without numpy, croniter and the like
    import numpy as np
    import numpy.typing as npt

    from slowwave.core.cadence import Missed, Turn
    from slowwave.core.fold import Decision, Fold

    Vectors = npt.NDArray[np.float32]
else:
    Vectors = object


@runtime_checkable
class Embedder(Protocol):
    """Converts text to vectors of one embedding space."""

    @property
    def space(self) -> str:
        """The name of the space: model and version. Vectors of different spaces are never compared."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    def load(self) -> None:
        """Load the model now rather than at the first text."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text, as rows; a row of zeros if the text has no meaning for the model."""


class Extractor(Protocol):
    """Extracts claims from episodes, by a rule pack that needs no model."""

    @property
    def pack(self) -> str:
        """The pack's name."""

    @property
    def version(self) -> int:
        """The pack's version."""

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of *episodes*, in order of position and ordinal.

        Raises `Incorrect` for an input that can never be read, and `Unavailable` if a later attempt may succeed.
        """

    def sound(self) -> bool:
        """Return whether the extractor passes its own test cases in this process."""


@dataclass(frozen=True, slots=True)
class StoreState:
    """The state of a pushed episode: stored now, known already, or in conflict with the earlier content of its key."""

    id: uuid.UUID
    position: int
    state: Literal["stored", "known", "conflict"]


class Inbox(Protocol):
    """The durable queue of pushed episodes."""

    def store(self, items: Sequence[tuple[Scope, Episode]]) -> tuple[list[StoreState], list[tuple[uuid.UUID, str]]]:
        """Store *items* of one tenant in one transaction, in order.

        Returns one result per item, and the (scope, job) pairs that are due at once. Raises `Unavailable`.
        """

    def bury(self, items: Sequence[Refused], *, scope: Scope | str | None) -> None:
        """Store items of a scope, a tenant or an unknown owner as dead letters; a repeated item is stored once."""


class Outbox(Protocol):
    """A durable queue on this host, for episodes that cannot be delivered yet. Raises `Unavailable`."""

    def add(self, scope: Scope, episodes: Sequence[Episode]) -> list[StoreOutcome]:
        """Keep *episodes* in order, all of them or none."""

    def first(self, limit: int, *, besides: Iterable[str] = ()) -> list[Spooled]:
        """Return the oldest pending entries, without those of the tenants *besides*."""

    def holds(self, scope: Scope | None = None) -> bool:
        """Return whether any entry is pending, of one scope or of all."""

    def remove(self, numbers: Iterable[int]) -> None:
        """Remove entries that are stored."""

    def refuse(self, number: int, reason: str) -> None:
        """Move an entry aside, with the reason why it will never be stored."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The decisions that a run writes, in order, with the vectors of new facts, their names, and prepared episodes.

    The vectors belong to *space* (name and dimensions), by default to the store's own space. *effects* are further
    writes in the same transaction, each of a kind that `slowwave.store.runs.settling` registers. *counts* are recorded
    with the counts of deltas in the run's record. The text in *says* is logged after the plan is applied. The window
    ends at *upto*, if that is set; *newest* is the latest time of the episodes read so far.
    """

    decisions: "Sequence[Decision]" = ()
    fact_vectors: Mapping[uuid.UUID, Vectors] = field(default_factory=dict)
    name_vectors: Mapping[str, Vectors] = field(default_factory=dict)
    episode_vectors: Mapping[int, Vectors] = field(default_factory=dict)
    episodes: int = 0
    effects: Sequence[object] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    space: tuple[str, int] | None = None
    says: str = ""
    upto: int | None = None
    newest: datetime | None = None


@dataclass(frozen=True, slots=True)
class IntentRequest:
    """An effect: request another job for this scope, up to the run's last episode; at once, or when it is due."""

    job: str
    pack: str
    at_once: bool = False


@dataclass(frozen=True, slots=True)
class Settled:
    """An effect: mark *reviews* as decided, each named by the delta that it proposes: no person needs to decide."""

    reviews: Sequence[uuid.UUID]


class RunStore(LateStore, FindsUpcoming, Follows, Protocol):
    """The run protocol as the database implements it. Every method is one transaction.

    Raises `Unavailable` if the database is unreachable and `Conflict` if another process was first.
    """

    def claim(
        self, *, owner: str, scope: uuid.UUID | None, jobs: Sequence[str] | None, overdue_seconds: float,
        task: str = "", others: bool = False,
    ) -> Run | None:  # fmt: skip
        """Return the next due and unclaimed run, or None; *others* limits it to tenants that wait for a turn."""

    def renew(self, run: Run) -> bool:
        """Extend the run's lease; return whether it was still held."""

    def traces(self, run: Run) -> list[str]:
        """Return the W3C traces in which the episodes of the run's window were pushed."""

    def episodes(self, run: Run) -> list[StoredEpisode]:
        """Return the episodes of the run's window, in order."""

    def episodes_and_before(self, run: Run) -> tuple[list[StoredEpisode], list[StoredEpisode]]:
        """Return the window's episodes, and the last turns of their sessions before it (or before each chosen one)."""

    def held(self, run: Run, claims: Sequence[Claim], *, ordered: bool = False) -> "Fold":
        """Return a fold over the scope's beliefs that *claims* may affect; *ordered* adds the order of turns."""

    def settle(self, run: Run, plan: Plan) -> Counter[str]:
        """Write the plan, move the watermark and end the run, in one transaction; return the deltas by kind."""

    def narrow(self, run: Run, error: str, *, wait_seconds: float = 0) -> None:
        """End the run; the next run takes the first half of its window, after *wait_seconds*."""

    def bury(self, run: Run, *, category: str, reason: str) -> None:
        """Make the window's only episode a dead letter and move the watermark past it."""

    def give_back(self, run: Run, outcome: str, *, wait_seconds: float, error: str) -> None:
        """End the run and keep its window, without counting a strike."""

    def put_off(self, run: Run, error: str, *, wait_seconds: float) -> None:
        """End a run that hit a fault of ours; keep its window and retry after *wait_seconds*."""

    def fail(self, run: Run, error: str) -> None:
        """End a run that reads no episodes; the next firing tries again."""

    def strike(self, run: Run) -> int:
        """Count a witnessed crash or fault against the window's only episode; return the count."""


class Job(Protocol):
    """The work of a run between claim and commit. It holds no lock, transaction or connection."""

    def think(self, run: Run, store: RunStore) -> Plan:
        """Return the plan to write. Errors are handled by category: see `slowwave.jobs.run`."""

    def witness(self, run: Run) -> bool:
        """Return whether this worker can do such work, tested on the pack's own cases."""


ScheduleKind = Literal[
    "count", "age", "cron", "interval", "manual", "idle", "semantic_shift", "token_pressure", "capacity", "session_end"
]


@dataclass(frozen=True, slots=True)
class Schedule:
    """One schedule of a pack's job. *next_due* and *last_fired* are None if there is none yet."""

    name: str
    job: str
    pack: str
    kind: ScheduleKind
    every: int | None = None
    seconds: float | None = None
    cron: str | None = None
    zone: str | None = None
    missed: "Missed" = "catch_up"
    next_due: datetime | None = None
    last_fired: datetime | None = None
    paused: bool = False
    threshold: float | None = None
    min_events: int | None = None
    reference: str | None = None
    tier: str | None = None


@dataclass(frozen=True, slots=True)
class Fired:
    """The firings that a due schedule wrote: its new windows, and the number of scopes."""

    schedule: str
    keys: tuple[str, ...]
    scopes: int


class ScheduleStore(Protocol):
    """The schedule as the database implements it. Every method is one transaction.

    Raises `Unavailable` if the database is unreachable and `Conflict` if another process was first.
    """

    def fire_ages(self, *, by: str) -> list[Fired]:
        """Fire for pending work that has reached its maximum age."""

    def fire_idle(self, *, by: str) -> list[Fired]:
        """Fire for pending work of scopes that have become idle."""

    def due(self) -> list[str]:
        """Return the names of the due crons and intervals, the longest overdue first."""

    def fire(self, name: str, decide: "Callable[[Schedule, datetime], Turn]", *, by: str) -> Fired | None:
        """Fire the windows that *decide* returns, for the scopes with pending work, in one transaction.

        Returns None if the schedule is no longer due or another scheduler is processing it.
        """

    def fire_manually(
        self, *, by: str, tenant: str | None, scopes: Sequence[uuid.UUID] | None, pack: str | None
    ) -> list[Due]:
        """Fire at once for scopes with pending work, whatever their schedules say; return the work now due."""

    def runnable(self, *, most: int) -> list[Due]:
        """Return at most *most* items of due work in scopes without a running job, oldest first."""

    def ahead(self) -> list[tuple[Schedule, datetime]]:
        """Return the crons and intervals whose next window is in the future, each with the database's time."""

    def call_back(self) -> None:
        """Make running work due whose last run began in the future, because the clock was ahead and was set back."""

    def progressed(self, *, by: str) -> None:
        """Record that this scheduler has completed a tick."""

    def now(self) -> datetime:
        """Return the database's time."""

    def schedules(self) -> list[Schedule]:
        """Return every schedule, by name."""

    def pause(self, name: str) -> None:
        """Stop a schedule from firing. Raises `NotFound`."""

    def resume(self, name: str) -> None:
        """Let a schedule fire again from now on; windows that passed meanwhile do not fire. Raises `NotFound`."""

    def reset(self, name: str, next_due: datetime) -> None:
        """Clear the next window of a schedule if it is still *next_due*, so that it is computed again."""
