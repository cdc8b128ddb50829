"""The question of a recall, and what its stages share: the reader of memories and a stopwatch."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from slowwave.core.recall.candidate import Candidate, Ranked
from slowwave.core.recall.outdated import Ended, matter_of
from slowwave.core.recall.routing import Route, route
from slowwave.core.recall.scoring import Scoring, Weights
from slowwave.core.recall.synonyms import NearWords
from slowwave.core.recall.time_match import Resolve
from slowwave.domain.limits import text_problems
from slowwave.domain.queries.filters import EVERYTHING, Filters
from slowwave.domain.recollection import Stage
from slowwave.domain.scope import Scope
from slowwave.domain.standing import Standing
from slowwave.errors import Incorrect
from slowwave.ports import Vectors
from slowwave.runtime import clock


@dataclass(slots=True)
class Stopwatch:
    """The stages so far; each begins at the end of the previous stage."""

    stages: list[Stage] = field(default_factory=list)
    last: float = field(default_factory=clock.monotonic)

    def ended(self, name: str, memories: int | None = None) -> None:
        """Record the end of a stage, and the number of memories left."""
        now = clock.monotonic()
        self.stages.append(Stage(name, (now - self.last) * 1000, memories))
        self.last = now


OVERFETCH = 2
LEAST_CANDIDATES = 100
"""The fewest candidates to read before ranking: a memory's neighbours and related facts affect its rank, so they must
be among the candidates."""

QUESTION_CHARACTERS = 8_000
"""The characters of a question that recall reads; an embedder reads about as many."""

UNPREPARED = 100
"""The most episodes without a vector that a recall embeds, the newest first: 5 ms for an embedder that takes 40 µs per
turn. With a running worker there are fewer; without one, this number limits the wait."""

LIMIT = 1_000


@dataclass(frozen=True, slots=True)
class Apart:
    """Scopes, by id, that use another embedding *space*, and the question's vector in it; *away* without one."""

    ids: Sequence[uuid.UUID]
    vector: Vectors
    space: str
    away: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A question of one tenant. *vector* is its vector in *space*; *began* is when it was asked, by the clock.

    *embedder_away* means that there is no vector, since the embedder did not answer. *apart* are the scopes that use
    other spaces. *resolve* returns the time that words like "last May" mean; without *resolve*, they are ordinary
    words.
    """

    question: str
    scopes: Sequence[Scope]
    vector: Vectors
    space: str
    limit: int
    now: datetime | None
    weights: Weights | None
    filters: Filters
    session: str | None
    began: float
    near_words: Sequence[NearWords] = ()
    min_score: float = 0.0
    embedder_away: bool = False
    resolve: Resolve | None = None
    apart: Sequence[Apart] = ()

    @property
    def tenant(self) -> str:
        """The tenant of all scopes of the question."""
        return self.scopes[0].tenant

    @property
    def matter(self) -> str:
        """The question's words that memories are searched for."""
        return matter_of(self.question)

    @property
    def route(self) -> Route:
        """The route that the question's words select."""
        return route(self.question)

    @property
    def ids(self) -> list[uuid.UUID]:
        """The ids of the scopes to search."""
        return [scope.id for scope in self.scopes]

    @property
    def meanings(self) -> list[Apart]:
        """The question's vectors: one per space, with the scopes that use the space."""
        elsewhere = {id_ for one in self.apart for id_ in one.ids}
        here = [id_ for id_ in self.ids if id_ not in elsewhere]
        return [*([Apart(here, self.vector, self.space)] if here else []), *self.apart]

    @property
    def most(self) -> int:
        """The number of candidates to read and rank."""
        return max(OVERFETCH * self.limit, LEAST_CANDIDATES)


def check(question: str, scopes: Sequence[Scope], limit: int) -> None:
    """Raise `Incorrect` with every problem of a question."""
    problems = [f"question: {problem}" for problem in text_problems(question)]
    if not question.strip():
        problems.append("question: is empty")
    if not 1 <= limit <= LIMIT:
        problems.append(f"limit: must be 1 to {LIMIT}, got {limit}")
    if len({scope.tenant for scope in scopes}) != 1:
        problems.append("scopes: name one or more of a single tenant")
    if problems:
        raise Incorrect.listing("recall", problems, hint="ask in words, in the scopes of one tenant")


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


MOST = 5
"""The most paths: the sixth best path matches too little of a question to answer it."""


def along_relations(memories: Reader, query: Query) -> Mapping[uuid.UUID, float]:
    """Return the facts at the ends of paths along the question's relations, each with its path's score."""
    return memories.led_to(query.ids, query.question, most=MOST, now=query.now)


def between_named(memories: Reader, query: Query) -> Mapping[uuid.UUID, float]:
    """Return the facts that connect the entities named in the question, if it asks how they are related."""
    return memories.connecting(query.ids, query.question, now=query.now) if query.route == "graph" else {}
