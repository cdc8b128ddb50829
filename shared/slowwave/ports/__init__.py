"""Ports: what jobs and retrieval need from the world."""

import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from slowwave.domain.claim import Claim
from slowwave.domain.dead_letter import Refused
from slowwave.domain.episode import Episode, StoredEpisode
from slowwave.domain.metrics.overview import Due
from slowwave.domain.receipt import Kept, Spooled
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope

if TYPE_CHECKING:  # a client of the broker alone imports this module, and none of numpy, croniter and their like
    import numpy as np
    import numpy.typing as npt

    from slowwave.core.cadence import Missed, Turn
    from slowwave.core.fold import Decision, Fold
    from slowwave.core.late import Past

    Vectors = npt.NDArray[np.float32]
else:
    Vectors = object


@runtime_checkable
class Embedder(Protocol):
    """Text to vectors of one embedding space."""

    @property
    def space(self) -> str:
        """The name of the space: model and version. Vectors of two spaces are never compared."""

    @property
    def dimensions(self) -> int:
        """The number of numbers in a vector."""

    def load(self) -> None:
        """Get ready now rather than at the first text."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of length 1 a text; a row of zeros where the text says nothing to the model."""


class Extractor(Protocol):
    """Episodes to claims, by a pack that needs no model."""

    @property
    def pack(self) -> str:
        """The pack's name."""

    @property
    def version(self) -> int:
        """The pack's version."""

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of *episodes*, in order of position and ordinal.

        Raises `Incorrect` for an input that can never be read and `Unavailable` when asking later may help.
        """

    def sound(self) -> bool:
        """Return whether the extractor passes its own cases here and now."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The state of one pushed episode: stored now, known from before, or in conflict with what the key said before."""

    id: uuid.UUID
    position: int
    state: Literal["stored", "known", "conflict"]


class Inbox(Protocol):
    """The durable queue."""

    def store(self, items: Sequence[tuple[Scope, Episode]]) -> tuple[list[Stored], list[tuple[uuid.UUID, str]]]:
        """Store *items* of one tenant in one transaction, in their order.

        Returns one result an item, and the (scope, job) pairs that are due at once. Raises `Unavailable`.
        """

    def bury(self, items: Sequence[Refused], *, scope: Scope | str | None) -> None:
        """Keep items as dead letters, in one transaction; each once, however often it comes.

        *scope* is whose they are, as far as that is known: a scope, a tenant, or nobody's.
        """


class Outbox(Protocol):
    """A durable queue on this host, for episodes that cannot be handed over yet. Raises `Unavailable`."""

    def add(self, scope: Scope, episodes: Sequence[Episode]) -> list[Kept]:
        """Keep *episodes*, all of them or none, in their order."""

    def first(self, limit: int) -> list[Spooled]:
        """Return the oldest entries that wait."""

    def holds(self, scope: Scope | None = None) -> bool:
        """Return whether anything waits, of one scope or at all."""

    def remove(self, numbers: Iterable[int]) -> None:
        """Let go of entries that are stored."""

    def refuse(self, number: int, reason: str) -> None:
        """Keep an entry aside, with the reason why it will never be stored."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The decisions a run writes, in order, with the vectors of new facts, of the names in them, and of prepared
    episodes.

    The vectors are of *space*, by name and dimensions, or else of the one the store was made for. *effects* are what
    else is written in the same transaction, each of a kind the store knows (`slowwave.store.runs.effects` registers
    them). *counts* are told beside the deltas' in the run's record. What the plan *says* is logged once it is applied.
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


@dataclass(frozen=True, slots=True)
class Ask:
    """An effect: let another job look at this scope too, up to the run's last episode; at once, or when it is due."""

    job: str
    pack: str
    at_once: bool = False


@dataclass(frozen=True, slots=True)
class Settled:
    """An effect: nobody needs to decide any more about these claims, named by the deltas that were reviews."""

    reviews: Sequence[uuid.UUID]


class RunStore(Protocol):
    """The run protocol as the database keeps it. Every method is one transaction.

    Raises `Unavailable` when the database is away and `Conflict` when another was first.
    """

    def claim(
        self, *, owner: str, scope: uuid.UUID | None, jobs: Sequence[str] | None, overdue_seconds: float, task: str = ""
    ) -> Run | None:
        """Return the next run that is due and free, or None. *task* is the id of the Celery task that asks."""

    def renew(self, run: Run) -> bool:
        """Extend the run's lease; return whether it was still ours."""

    def traces(self, run: Run) -> list[str]:
        """Return the traces in which the episodes of the run's window were pushed, as W3C writes them."""

    def episodes(self, run: Run) -> list[StoredEpisode]:
        """Return the episodes of the run's window, in order."""

    def episodes_and_before(self, run: Run) -> tuple[list[StoredEpisode], list[StoredEpisode]]:
        """Return the same, and the last turns of their sessions before the window; of chosen ones, before each."""

    def held(self, run: Run, claims: Sequence[Claim]) -> "Fold":
        """Return a fold over what the scope holds that *claims* may touch."""

    def past(self, run: Run, claims: Sequence[Claim]) -> "Past | None":
        """Return the past into which *claims* of a retried run fall, or None if nothing was told after them."""

    def settle(self, run: Run, plan: Plan) -> Counter[str]:
        """Write the plan, move the watermark and end the run, all of it or none; return the deltas by kind."""

    def narrow(self, run: Run, error: str, *, wait_seconds: float = 0) -> None:
        """End the run; the next run, after *wait_seconds*, takes the first half of its window."""

    def bury(self, run: Run, *, category: str, reason: str) -> None:
        """Make the window's episode a dead letter and move the watermark past it."""

    def give_back(self, run: Run, outcome: str, *, wait_seconds: float, error: str) -> None:
        """End the run, keep its window, count no strike."""

    def put_off(self, run: Run, error: str, *, wait_seconds: float) -> None:
        """End a run that met a fault of ours; keep its window and try again after *wait_seconds*."""

    def fail(self, run: Run, error: str) -> None:
        """End a run that works on no episodes; the next firing tries again."""

    def strike(self, run: Run) -> int:
        """Count a witnessed vanishing or fault against the window's one episode; return the count."""


class Job(Protocol):
    """The work of a run between claim and apply. No lock, transaction or connection is held meanwhile."""

    def think(self, run: Run, store: RunStore) -> Plan:
        """Return the plan to write. Raises by category: see `slowwave.jobs.run`."""

    def witness(self, run: Run) -> bool:
        """Return whether this worker can do such work at all, shown on the pack's own cases."""


ScheduleKind = Literal[
    "count", "age", "cron", "interval", "manual", "idle", "semantic_shift", "token_pressure", "capacity", "session_end"
]


@dataclass(frozen=True, slots=True)
class Schedule:
    """One way in which a job of a pack comes due. *next_due* and *last_fired* are None before there is one."""

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
    rung: str | None = None


@dataclass(frozen=True, slots=True)
class Fired:
    """The firings a schedule that came due has written: windows that had not fired before, and for how many scopes."""

    schedule: str
    keys: tuple[str, ...]
    scopes: int


class ScheduleStore(Protocol):
    """The schedule as the database keeps it. Every method is one transaction.

    Raises `Unavailable` when the database is away and `Conflict` when another was first.
    """

    def fire_ages(self, *, by: str) -> list[Fired]:
        """Fire for the work that has waited out its maximum age."""

    def fire_idle(self, *, by: str) -> list[Fired]:
        """Fire for the work of scopes that have fallen silent."""

    def due(self) -> list[str]:
        """Return the names of the crons and intervals that are due, the longest overdue first."""

    def fire(self, name: str, decide: "Callable[[Schedule, datetime], Turn]", *, by: str) -> Fired | None:
        """Fire what *decide* says of the schedule at this time, for the scopes that wait for it, or nothing at all.

        Returns None when the schedule is not due any more or in another scheduler's hands.
        """

    def fire_manually(
        self, *, by: str, tenant: str | None, scopes: Sequence[uuid.UUID] | None, pack: str | None
    ) -> list[Due]:
        """Fire at once for scopes with work, whatever their schedules say, and return what is due by it."""

    def runnable(self, *, most: int) -> list[Due]:
        """Return the oldest *most* of the work that is due where nobody works, oldest first."""

    def ahead(self) -> list[tuple[Schedule, datetime]]:
        """Return the crons and intervals whose next window lies ahead, each with the database's time."""

    def call_back(self) -> None:
        """Make work due that was begun, and put off, by a clock that has gone back since."""

    def progressed(self, *, by: str) -> None:
        """Write down that this scheduler has come through a tick."""

    def now(self) -> datetime:
        """Return the database's time."""

    def schedules(self) -> list[Schedule]:
        """Return every schedule, by name."""

    def pause(self, name: str) -> None:
        """Keep a schedule from firing. Raises `NotFound`."""

    def resume(self, name: str) -> None:
        """Let a schedule fire again, from now on: windows that passed meanwhile were not missed. Raises `NotFound`."""

    def reset(self, name: str, next_due: datetime) -> None:
        """Let the next window of a schedule be computed anew, if it is still the one at *next_due*."""
