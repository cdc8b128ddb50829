"""The reader of recall: the memories of one tenant, within a transaction."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from slowwave.core.recall.candidate import Candidate, Ranked
from slowwave.core.recall.outdated import Ended
from slowwave.core.recall.scoring import Scoring
from slowwave.core.recall.synonyms import NearWords
from slowwave.core.recall.weights import Weights
from slowwave.domain.queries.filters import EVERYTHING, Filters
from slowwave.domain.scope import Scope
from slowwave.domain.standing import Standing
from slowwave.ports import Vectors
from slowwave.retrieval.question import Query

Near = Mapping[tuple[uuid.UUID, int], float]
"""The cosine similarity of episodes to a question, by scope and position."""


@dataclass(frozen=True, slots=True)
class Unprepared:
    """An episode without a vector: its scope and position, and the beginning of its text."""

    scope: uuid.UUID
    position: int
    text: str


class Reader(Protocol):
    """Reads one tenant's memories, within a transaction."""

    def unprepared(self, scopes: Sequence[uuid.UUID], *, most: int, characters: int) -> tuple[list[Unprepared], int]:
        """Return the newest *most* episodes without a vector, and the number of all episodes without one."""

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
        near_words: Sequence[NearWords] = (),
    ) -> list[Candidate]:
        """Return at most *most* memories that may answer, and as many statements, if *filters* match them.

        *unprepared* has the similarity of episodes that have no vector yet. *called* has the name of each scope's user.
        The memories *beside* are always returned, even with a low match. *near_words* are near synonyms of the
        question's words; a memory with a synonym matches the word in part.
        """

    def led_to(
        self, scopes: Sequence[uuid.UUID], question: str, *, most: int, now: datetime | None
    ) -> Mapping[uuid.UUID, float]:
        """Return the *most* facts at the ends of paths from the entities in *question* along its relations.

        Each has a score: the share of the question's relation words that match its path.
        """

    def connecting(
        self, scopes: Sequence[uuid.UUID], question: str, *, now: datetime | None
    ) -> Mapping[uuid.UUID, float]:
        """Return the facts on shortest paths between the entities that *question* names, each with 1 / the path's
        length.
        """

    def latest(self, scopes: Sequence[Scope], filters: Filters, *, most: int) -> list[uuid.UUID]:
        """Return the ids of the *most* newest episodes that pass *filters*, newest first."""

    def names(self, scopes: Sequence[uuid.UUID]) -> Mapping[uuid.UUID, str]:
        """Return the name of each scope's user, if known."""

    def scoring(self) -> Scoring:
        """Return the scoring rules of this tenant."""

    def standings(self, candidates: Sequence[Candidate]) -> Mapping[uuid.UUID, Standing]:
        """Return the standing of each of *candidates* that has one, by memory id."""

    def tenses(self, candidates: Sequence[Candidate], now: datetime | None) -> Mapping[uuid.UUID, str]:
        """Return the tense of each fact of *candidates* as it was said; `past` if it has ended by *now*."""

    def ended(self, turns: Sequence[Candidate], question: str, now: datetime | None) -> Mapping[uuid.UUID, Ended]:
        """Return, by turn id, when the beliefs from *turns* ended, for turns all of whose beliefs ended by *now*.

        For each turn, only the beliefs that match most of the question's words count; if none matches any word, all
        count.
        """

    def corrected(
        self, turns: Sequence[Candidate], facts: Sequence[Candidate], question: str, now: datetime | None
    ) -> Mapping[uuid.UUID, Ended]:
        """Return, by turn id, those of *turns* whose beliefs the corrections that made *facts* took back: of them no
        belief that shares a word with *question* is held.
        """

    def schematic(self, ranked: Sequence[Ranked]) -> Collection[uuid.UUID]:
        """Return the facts of *ranked* that name a schematic entity."""

    def contents(self, ranked: Sequence[Ranked]) -> Mapping[uuid.UUID, tuple[str, int]]:
        """Return the content of each episode of *ranked* and the speaker's UTC offset in seconds, by memory id."""

    def audit(
        self, question: str, scopes: Sequence[Scope], found: Sequence[Ranked], latency_ms: float, session: str | None
    ) -> None:
        """Write an audit row for *question* and the memories *found*, if reads are audited."""


class Memories(Protocol):
    """Gives access to the memories of every tenant."""

    def reading(self, tenant: str, query: Query | None = None) -> AbstractContextManager[Reader]:
        """Return a context manager for a transaction that reads one tenant's memories, to answer *query* if given."""
