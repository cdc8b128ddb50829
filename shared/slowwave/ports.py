"""What jobs and retrieval need from the world."""

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from slowwave.core.fold import Decision, Fold
from slowwave.domain.claim import Claim
from slowwave.domain.episode import Episode, StoredEpisode
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope

Vectors = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Text to vectors of one embedding space."""

    @property
    def space(self) -> str:
        """The name of the space: model and version. Vectors of two spaces are never compared."""

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of length 1 a text; a row of zeros where the text says nothing to the model."""


class Extractor(Protocol):
    """Episodes to claims. A rule pack is one; a model behind a prompt is another."""

    @property
    def pack(self) -> str:
        """The pack's name."""

    @property
    def version(self) -> int:
        """The pack's version; a journalled reply belongs to one version."""

    @property
    def journalled(self) -> bool:
        """Whether a reply costs money or may differ next time, and is written down before it is used."""

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of *episodes*, in order of position and ordinal.

        Raises `Incorrect` for an input that can never be read and `Unavailable` when asking later may help.
        """

    def sound(self) -> bool:
        """Return whether the extractor passes its own cases here and now."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of one episode: stored now, known from before, or in conflict with what the key said before."""

    id: uuid.UUID
    position: int
    state: Literal["stored", "known", "conflict"]


class Inbox(Protocol):
    """The durable queue."""

    def store(self, items: Sequence[tuple[Scope, Episode]]) -> tuple[list[Stored], list[tuple[uuid.UUID, str]]]:
        """Store *items* of one tenant in one transaction, in their order.

        Returns one result an item, and the (scope, job) pairs that are due at once. Raises `Unavailable`.
        """

    def bury(self, item: Any, *, reason: str, tenant: str | None = None) -> None:
        """Keep a message that could not be read as a dead letter."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run has decided to write: decisions in order, the vectors of new facts and of prepared episodes."""

    decisions: Sequence[Decision] = ()
    fact_vectors: Mapping[uuid.UUID, Vectors] = field(default_factory=dict)
    episode_vectors: Mapping[int, Vectors] = field(default_factory=dict)
    episodes: int = 0


class RunStore(Protocol):
    """The run protocol as the database keeps it. Every method is one transaction.

    Raises `Unavailable` when the database is away and `Conflict` when another was first.
    """

    def claim(
        self, *, owner: str, scope: uuid.UUID | None, jobs: Sequence[str] | None, overdue_seconds: float
    ) -> Run | None:
        """Return the next run that is due and free, or None."""

    def renew(self, run: Run) -> bool:
        """Extend the run's lease; return whether it was still ours."""

    def episodes(self, run: Run) -> list[StoredEpisode]:
        """Return the episodes of the run's window, in order."""

    def journalled(self, run: Run, version: int) -> list[Claim] | None:
        """Return what a model answered about this window before, or None."""

    def journal(self, run: Run, version: int, claims: Sequence[Claim]) -> list[Claim]:
        """Write a model's answer down before it is used; return the one that was written first."""

    def held(self, run: Run, claims: Sequence[Claim]) -> Fold:
        """Return a fold over what the scope holds that *claims* may touch."""

    def settle(self, run: Run, plan: Plan) -> Counter[str]:
        """Write the plan, move the watermark and end the run, all of it or none; return the deltas by kind."""

    def narrow(self, run: Run, error: str) -> None:
        """End the run; the next attempt takes the first half of its window."""

    def bury(self, run: Run, *, category: str, reason: str) -> None:
        """Make the window's episode a dead letter and move the watermark past it."""

    def give_back(self, run: Run, outcome: str, *, wait_seconds: float, error: str) -> None:
        """End the run, keep its window, spend no attempt."""

    def strike(self, run: Run) -> int:
        """Count a witnessed vanishing against the window's one episode; return the count."""


class Job(Protocol):
    """What is done in a run between claim and apply. No lock, transaction or connection is held meanwhile."""

    def think(self, run: Run, store: RunStore) -> Plan:
        """Return what to write. Raises by category: see `slowwave.jobs.run`."""

    def witness(self, run: Run) -> bool:
        """Return whether this worker can do such work at all, shown on the pack's own cases."""
