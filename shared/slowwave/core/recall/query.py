"""The question of a recall: its words, its vectors, its scopes and its filters."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from slowwave.core.recall.outdated import matter_of
from slowwave.core.recall.routing import Route, route
from slowwave.core.recall.scoring import Weights
from slowwave.core.recall.synonyms import NearWords
from slowwave.core.recall.time_match import Resolve
from slowwave.domain.limits import text_problems
from slowwave.domain.queries.filters import Filters
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect

QUESTION_CHARACTERS = 8_000
"""The number of characters of a question that recall reads. An embedder reads about as many."""

UNPREPARED = 100
"""The maximum number of episodes without a vector that a recall embeds, in order from the newest. They take 5 ms with
an embedder that takes 40 µs per turn. While a worker runs, fewer episodes have no vector. Without a worker, this number
limits the wait.
"""

OVERFETCH = 2

LEAST_CANDIDATES = 100
"""The fewest candidates to read before ranking. The neighbours and related facts of a memory affect its rank; therefore
they must be among the candidates."""

LIMIT = 1_000
Near = Mapping[tuple[uuid.UUID, int], float]
"""The cosine similarity of episodes to a question, by scope and position."""


@dataclass(frozen=True, slots=True)
class Apart:
    """The scopes (*ids*) that use another embedding space (*space*), and the question's *vector* in this space.

    *away* is True if the embedder of the space is unavailable.
    """

    ids: Sequence[uuid.UUID]
    vector: npt.NDArray[np.float32]
    space: str
    away: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A question of one tenant. *vector* is its vector in *space*. *began* is the monotonic time when it was asked.

    *embedder_away* is True if there is no vector because the embedder did not answer. *apart* are the scopes that use
    other spaces. *resolve* returns the time that words like "last May" mean. Without *resolve*, such words are ordinary
    words.
    """

    question: str
    scopes: Sequence[Scope]
    vector: npt.NDArray[np.float32]
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
        """The words of the question by which memories are searched."""
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


@dataclass(frozen=True, slots=True)
class Unprepared:
    """An episode without a vector: its scope and position, and the beginning of its text."""

    scope: uuid.UUID
    position: int
    text: str
