"""Scoring: how memories are ranked, and the rule by which two episodes are neighbours. The weights: `weights.py`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from slowwave.core.recall.calibration import Calibration
from slowwave.core.recall.weights import Weights
from slowwave.core.salience.terms import Salience

REACH = 3
"""The most positions of a session between neighbours: time gaps say little, as some people answer within seconds and
some after hours."""


@dataclass(frozen=True, slots=True)
class Contiguity:
    """The rule by which two episodes are neighbours, and the boost for it.

    A memory at most *reach* positions of the session away from another is raised by that one's match. With *within* and
    *boost* instead, a score gains *boost* if another of the best results happened within that time of it.
    """

    reach: int | None = REACH
    within: timedelta | None = None
    boost: float | None = None

    def __post_init__(self) -> None:
        if (self.within is None) != (self.boost is None) or (self.within is None) == (self.reach is None):
            raise ValueError(f"contiguity goes by reach, or by within and boost, got {self}")


Routing = Literal["bare", "keywords"]
Fusion = Literal["weights", "ranks"]
Strategy = Literal["fast_first", "weighted", "comprehensive"]


@dataclass(frozen=True, slots=True)
class Scoring:
    """The way memories are ranked. Without *salience*, *kinds*, *tiers* and *strength* their standing does not count.

    *routing* chooses the questions answered with the newest memories: those that name nothing (`bare`), or any with a
    keyword of that route (`keywords`). *kinds* and *tiers* multiply a score by the weight of the memory's kind or tier,
    relative to the largest weight; unlisted ones have the full weight. *strategy* is `comprehensive` (all tiers ranked
    together), `weighted` (*tiers* as weights), or `fast_first` (hotter tiers first, if their memories are good enough);
    *tiers* lists them, hottest first. Memories that were never used are on *entry*. *strength* is the share of the
    score that a fully faded memory loses. With *schematic_first* facts that name schematic entities come first among
    the answers. *fusion* computes a score as the weighted sum of the reasons, or from the ranks by similarity and by
    words alone. *tenses* multiply the score of a fact that is `current` or `past`. *calibration* converts matches to
    scores.
    """

    contiguity: Contiguity = Contiguity()
    salience: Salience | None = None
    weights: Weights = field(default_factory=Weights)
    routing: Routing = "bare"
    kinds: Mapping[str, float] | None = None
    tiers: Mapping[str, float] | None = None
    strategy: Strategy = "comprehensive"
    entry: str | None = None
    strength: float | None = None
    schematic_first: bool | None = None
    fusion: Fusion = "weights"
    tenses: Mapping[str, float] | None = None
    calibration: Calibration = field(default_factory=Calibration)

    @property
    def by_standing(self) -> bool:
        """True if a memory's standing counts."""
        return self.salience is not None or bool(self.kinds) or bool(self.tiers) or bool(self.strength)


@dataclass(frozen=True, slots=True)
class Bm25:
    """The parameters of BM25: *k1* limits the gain from text length, *b* is the penalty for length.

    A word counts once a text: in short turns repetition says nothing. The length of a turn has little to do with its
    subject, hence a small *b* (Robertson and Zaragoza 2009).
    """

    k1: float = 1.2
    b: float = 0.3
