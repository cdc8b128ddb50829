"""Memories as recall reads them: one tenant's, within a transaction."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from slowwave.core.recall.candidate import Candidate, Ranked
from slowwave.core.recall.nearness import NearWord
from slowwave.core.recall.outdated import Ended
from slowwave.core.recall.scoring import Scoring, Weights
from slowwave.domain.reading.filters import EVERYTHING, Filters
from slowwave.domain.scope import Scope
from slowwave.domain.standing import Standing
from slowwave.ports import Vectors

Near = Mapping[tuple[uuid.UUID, int], float]
"""How near episodes lie to a question, by scope and position: the cosine of their vectors."""


@dataclass(frozen=True, slots=True)
class Unprepared:
    """An episode that has no vector yet: its scope and position, and the beginning of its text."""

    scope: uuid.UUID
    position: int
    text: str


class Reader(Protocol):
    """One tenant's memories, within a transaction."""

    def unprepared(self, scopes: Sequence[uuid.UUID], *, most: int, characters: int) -> tuple[list[Unprepared], int]:
        """Return the newest *most* episodes that no worker has prepared, and how many there are in all."""

    def candidates(
        self,
        scopes: Sequence[uuid.UUID],
        question: str,
        vector: Vectors | None,
        *,
        space: str,
        most: int,
        now: datetime | None,
        weights: Weights,
        filters: Filters = EVERYTHING,
        unprepared: Near | None = None,
        called: Mapping[uuid.UUID, str] | None = None,
        beside: Collection[uuid.UUID] = (),
        near_words: Sequence[NearWord] = (),
    ) -> list[Candidate]:
        """Return at most *most* memories that may answer, and as many statements; none that *filters* leave out.

        *unprepared* says how near the episodes lie that have no vector yet. *called* is what the user of each scope is
        called. The memories *beside* are measured and returned, however little they match. *near_words* are those
        near the question's, of which a memory says them in part.
        """

    def led_to(
        self, scopes: Sequence[uuid.UUID], question: str, *, most: int, now: datetime | None
    ) -> Mapping[uuid.UUID, float]:
        """Return the *most* facts to which the relations that *question* names lead from whom it names.

        Each with the share of the question's words for relations that the way there accounts for.
        """

    def connecting(
        self, scopes: Sequence[uuid.UUID], question: str, *, now: datetime | None
    ) -> Mapping[uuid.UUID, float]:
        """Return the facts on the shortest ways between whom *question* names, each with one by how many it takes."""

    def latest(self, scopes: Sequence[Scope], filters: Filters, *, most: int) -> list[uuid.UUID]:
        """Return the ids of the *most* episodes told last that *filters* leave, the last first."""

    def names(self, scopes: Sequence[uuid.UUID]) -> Mapping[uuid.UUID, str]:
        """Return what the user of each scope is called, where that is known."""

    def scoring(self) -> Scoring:
        """Return the scoring by which this tenant's memories are ranked."""

    def standings(self, candidates: Sequence[Candidate]) -> Mapping[uuid.UUID, Standing]:
        """Return the standing of each of *candidates* that has one, by its id."""

    def tenses(self, candidates: Sequence[Candidate], now: datetime | None) -> Mapping[uuid.UUID, str]:
        """Return the tense of each fact of *candidates*, as it was said; what is over at *now* is `past`."""

    def ended(self, turns: Sequence[Candidate], question: str, now: datetime | None) -> Mapping[uuid.UUID, Ended]:
        """Return until when what was believed of *turns* held, by their ids, where it has ended by *now*.

        Of a turn the beliefs count that say most of the question's words; where none says any, all of them.
        """

    def schematic(self, ranked: Sequence[Ranked]) -> Collection[uuid.UUID]:
        """Return the facts of *ranked* that name an entity on which much else hangs."""

    def contents(self, ranked: Sequence[Ranked]) -> Mapping[uuid.UUID, tuple[str, int]]:
        """Return the content of each episode of *ranked* and the speaker's seconds ahead of UTC, by its id."""

    def audit(
        self, question: str, scopes: Sequence[Scope], found: Sequence[Ranked], latency_ms: float, session: str | None
    ) -> None:
        """Write an audit row that *question* was answered with *found*, as far as reads are audited."""


class Memories(Protocol):
    """The memories of every tenant."""

    def reading(self, tenant: str) -> AbstractContextManager[Reader]:
        """Give a transaction that reads one tenant's memories."""
