"""Scoring: what each reason for a memory weighs, and by which rule two episodes belong to one moment."""

import math
from dataclasses import dataclass
from datetime import timedelta

from slowwave.core.salience import Salience

REACH = 3
"""How many positions of a session may lie between two episodes of the same moment: a gap in time says little, for some
answer within seconds and some after hours."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each reason; they add up to 1, so that a score lies in [0, 1].

    The values lie in the middle of a plateau: on dialogue, moving any of them by 0.05 changes evidence recall by less
    than 0.015. Recency decides between equals only.
    """

    similarity: float = 0.30
    keyword: float = 0.25
    association: float = 0.30
    speaker: float = 0.10
    recency: float = 0.05
    beside: float = 0.30
    """On top of the others, the best measure of what other sources of candidates say."""

    def __post_init__(self) -> None:
        parts = (self.similarity, self.keyword, self.association, self.speaker, self.recency)
        if min(parts) < 0 or not math.isclose(sum(parts), 1):
            raise ValueError(f"weights must be 0 or more and add up to 1, got {self}")

    @property
    def lift(self) -> float:
        """The share of a neighbour's weighted match that is added to a memory's own."""
        own = self.similarity + self.keyword
        return self.association / own if own else 0.0


@dataclass(frozen=True, slots=True)
class Contiguity:
    """The rule by which two episodes lie in the same moment, and the boost for it.

    At most *reach* positions of one session apart, a memory is lifted by how well its neighbour matches. With *within*
    and *boost* instead, a score gains the *boost* if another of the best results happened within that time of it.
    """

    reach: int | None = REACH
    within: timedelta | None = None
    boost: float | None = None

    def __post_init__(self) -> None:
        if (self.within is None) != (self.boost is None) or (self.within is None) == (self.reach is None):
            raise ValueError(f"contiguity goes by reach, or by within and boost, got {self}")


@dataclass(frozen=True, slots=True)
class Scoring:
    """The way memories are ranked beyond their match. Without *salience*, their standing does not count."""

    contiguity: Contiguity = Contiguity()
    salience: Salience | None = None


@dataclass(frozen=True, slots=True)
class Bm25:
    """The parameters of BM25: *k1* is how much a long text may still gain, *b* how much length is held against it.

    A word counts once a text, however often it stands there: in short turns repetition says nothing. Turns differ in
    length for reasons that have nothing to do with their subject, hence a small *b* (Robertson and Zaragoza 2009).
    """

    k1: float = 1.2
    b: float = 0.3
