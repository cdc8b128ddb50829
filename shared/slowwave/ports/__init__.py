"""Ports: interfaces with several implementations, and the values that jobs and the store exchange."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from slowwave.domain.claim import Claim
from slowwave.domain.episode import Episode, StoredEpisode
from slowwave.domain.receipt import Spooled, StoreOutcome
from slowwave.domain.scope import Scope

if TYPE_CHECKING:  # a client of the broker imports this module without numpy, croniter and the like
    import numpy as np
    import numpy.typing as npt

    from slowwave.core.cadence import Missed
    from slowwave.core.fold import Decision

    Vectors = npt.NDArray[np.float32]
else:
    Vectors = object
ScheduleKind = Literal[
    "count", "age", "cron", "interval", "manual", "idle", "semantic_shift", "token_pressure", "capacity", "session_end"
]


@runtime_checkable
class Embedder(Protocol):
    """Converts text to vectors of one embedding space."""

    @property
    def space(self) -> str:
        """The name of the space: model and version. Vectors of different spaces must never be compared."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    def load(self) -> None:
        """Load the model now rather than at the first text."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text, as rows. A text without a meaning for the model has a row of zeros."""


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


class Outbox(Protocol):
    """A durable queue on this host, for episodes that cannot be delivered yet. Raises `Unavailable`."""

    def add(self, scope: Scope, episodes: Sequence[Episode]) -> list[StoreOutcome]:
        """Keep *episodes* in order. Either all episodes are kept, or no episode."""

    def first(self, limit: int, *, besides: Iterable[str] = ()) -> list[Spooled]:
        """Return the oldest pending entries. Entries of the tenants in *besides* are left out."""

    def holds(self, scope: Scope | None = None) -> bool:
        """Return whether any entry is pending, of one scope or of all scopes."""

    def remove(self, numbers: Iterable[int]) -> None:
        """Remove entries whose episodes are stored."""

    def refuse(self, number: int, reason: str) -> None:
        """Move an entry aside, with the reason why it will never be stored."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The decisions that a run writes, in order, and other data to write in the same transaction.

    The vectors belong to *space* (name and dimensions), by default to the store's own space. *effects* are additional
    writes; `slowwave.store.runs.settling` registers their types. *counts* are stored in the run's record, with the
    counts of deltas. The text in *says* is logged after the plan is applied. If *upto* is set, the run ends its window
    at this position. *newest* is the latest time of the episodes read so far.
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
    """A write of a run, besides its decisions: request another job for this scope, up to the last episode of the run.

    If *at_once* is True, the job is due at once, otherwise when its schedule fires next.
    """

    job: str
    pack: str
    at_once: bool = False


@dataclass(frozen=True, slots=True)
class Settled:
    """A write of a run, besides its decisions: mark *reviews* as decided, because no person needs to decide them any
    more.

    A review has the id of the delta that it proposes.
    """

    reviews: Sequence[uuid.UUID]


@dataclass(frozen=True, slots=True)
class Schedule:
    """One schedule of a pack's job. *next_due* and *last_fired* are None if there is no such time yet."""

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
    """The result of a due schedule: the *keys* of the firings that were written, and the number of scopes."""

    schedule: str
    keys: tuple[str, ...]
    scopes: int
