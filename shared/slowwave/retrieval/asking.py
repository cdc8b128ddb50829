"""A question as it is put to the memories: what was asked, where, when, and how it lies in the embedding space."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from slowwave.core.recall.nearness import NearWord
from slowwave.core.recall.routing import Route, route
from slowwave.core.recall.scoring import Weights
from slowwave.core.recall.times import Resolve
from slowwave.domain.reading.filters import Filters
from slowwave.domain.scope import Scope
from slowwave.domain.text import text_problems
from slowwave.errors import Incorrect
from slowwave.ports import Vectors

OVERFETCH = 2
LEAST_CANDIDATES = 100
"""Read so many times the limit, and at least so many, before ranking: the moment and the facts around a memory decide
too, and they must be among what is ranked."""

LIMIT = 1_000


@dataclass(frozen=True, slots=True)
class Apart:
    """Scopes, by id, that answer in another *space*; what the question means there, or that its embedder is *away*."""

    ids: Sequence[uuid.UUID]
    vector: Vectors
    space: str
    away: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of one tenant. *vector* is the question's in *space*; *began* is when it was asked, by the clock.

    With *embedder_away* nobody could say what it means. *apart* are the scopes that answer in other spaces. *resolve*
    tells which time its words for one mean; without it they are words.
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
    near_words: Sequence[NearWord] = ()
    min_score: float = 0.0
    embedder_away: bool = False
    resolve: Resolve | None = None
    apart: Sequence[Apart] = ()

    @property
    def tenant(self) -> str:
        """The tenant whose memories answer."""
        return self.scopes[0].tenant

    @property
    def route(self) -> Route:
        """The road that its words ask for."""
        return route(self.question)

    @property
    def ids(self) -> list[uuid.UUID]:
        """The scopes that are looked into, by id."""
        return [scope.id for scope in self.scopes]

    @property
    def meanings(self) -> list[Apart]:
        """The meanings of the question: a space each, and the scopes that answer in it."""
        elsewhere = {id_ for one in self.apart for id_ in one.ids}
        here = [id_ for id_ in self.ids if id_ not in elsewhere]
        return [*([Apart(here, self.vector, self.space)] if here else []), *self.apart]

    @property
    def most(self) -> int:
        """The number of memories that are read and ranked."""
        return max(OVERFETCH * self.limit, LEAST_CANDIDATES)


def check(question: str, scopes: Sequence[Scope], limit: int) -> None:
    """Return where the question can be asked. Raises `Incorrect` with all that stands against it."""
    problems = [f"question: {problem}" for problem in text_problems(question)]
    if not question.strip():
        problems.append("question: is empty")
    if not 1 <= limit <= LIMIT:
        problems.append(f"limit: must be 1 to {LIMIT}, got {limit}")
    if len({scope.tenant for scope in scopes}) != 1:
        problems.append("scopes: name one or more of a single tenant")
    if problems:
        raise Incorrect.listing("recall", problems, hint="ask in words, in the scopes of one tenant")
