"""Scoring: the weight of each reason, and the rule by which two episodes are neighbours."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Literal

from slowwave.core.recall.calibration import Calibration
from slowwave.core.salience.terms import Salience

REACH = 3
"""The most positions of a session between neighbours: time gaps say little, as some people answer within seconds and
some after hours."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each reason; the first six add up to 1, so that a score lies in [0, 1].

    The values lie in the middle of a plateau: on dialogue, moving any of them by 0.05 changes evidence recall by less
    than 0.015. Recency only breaks ties. *cover* is the weight of a word that only a neighbour contains. *beside*
    weighs, on top of the others, the best measure of the other candidate sources; *chain* adds to it for a memory to
    which everything named in a question leads, and which is not itself named. A currently believed fact gains up to
    *current* times its score, by its share of the question's words. *retold* is the share of *speaker* that a statement
    gets for its subject. For a question that names a time, *time* weighs how near a memory is to it; for one that asks
    for a time, *dated* weighs that a memory states one: both relative to the 1.0 of all others. *named* is the weight
    of speakers' names among a question's words, as *speaker* covers them. *worded* is the share of a fact's similarity
    that is computed word by word: a short text's vector is mostly the name in it. *assistant* is subtracted from an
    assistant's words unless the question asks for them, and *replies* is the share of an assistant's question that is
    added to its answer. If a question asks about the present, the newest memory gains half of *later* of its score and
    the oldest loses it. A memory with the kind of thing that is asked for gains *fits*.
    """

    similarity: float = 0.26
    keyword: float = 0.22
    association: float = 0.26
    speaker: float = 0.09
    recency: float = 0.04
    conversation: float = 0.13
    cover: float = 0.5
    beside: float = 0.30
    chain: float = 0.30
    current: float = 1.2
    retold: float = 0.5
    time: float = 0.25
    dated: float = 0.04
    named: float = 0.0
    worded: float = 0.6
    assistant: float = 0.3
    replies: float = 0.6
    later: float = 0.5
    fits: float = 0.1

    def __post_init__(self) -> None:
        others = (
            self.cover, self.beside, self.chain, self.current, self.retold, self.time, self.dated, self.named,
            self.worded, self.assistant, self.replies, self.later, self.fits,
        )  # fmt: skip
        if min(*self._parts, *others) < 0 or not math.isclose(sum(self._parts), 1):
            raise ValueError(f"weights must be 0 or more and add up to 1, got {self}")

    @property
    def lift(self) -> float:
        """The share of a neighbour's weighted match that is added to a memory's own match."""
        own = self.similarity + self.keyword
        return self.association / own if own else 0.0

    def broad(self) -> "Weights":
        """Return the weights for a question with answers in many places: conversations do not count."""
        rest = 1 - self.conversation
        if not rest or not self.conversation:
            return replace(self, cover=0.0)
        names = ("similarity", "keyword", "association", "speaker", "recency")
        return replace(self, conversation=0.0, cover=0.0, **{name: getattr(self, name) / rest for name in names})

    @property
    def _parts(self) -> tuple[float, ...]:
        return (self.similarity, self.keyword, self.association, self.speaker, self.recency, self.conversation)


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
