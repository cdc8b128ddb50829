"""Scoring: what each reason for a memory weighs, and by which rule two episodes belong to one moment."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Literal

from slowwave.core.recall.calibration import Calibration
from slowwave.core.salience.terms import Salience

REACH = 3
"""How many positions of a session may lie between two episodes of the same moment: a gap in time says little, for some
answer within seconds and some after hours."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each reason; those of the first six add up to 1, so that a score lies in [0, 1].

    The values lie in the middle of a plateau: on dialogue, moving any of them by 0.05 changes evidence recall by less
    than 0.015. Recency decides between equals only. *cover* is how much of a word counts that a neighbour says.
    *beside* weighs, on top of the others, the best measure of what other sources of candidates say; and *chain* once
    more what lies at the end of all that a question names, and is not itself named. What is believed now gains up to
    *current* times its score, as far as it says the words of the question. *retold* is how much of *speaker* a
    statement has by whoever it is about. Of a question that names a time, *time* weighs how near to it a memory lies;
    of one that asks for a time, *dated* weighs that a memory tells one: both against the 1.0 of all else.
    *named* is how much the name of who speaks counts among the words of a question: *speaker* tells whose a memory is.
    *worded* is the share of a fact's similarity that goes by its words one by one: the vector of a short text is mostly
    the name in it. *assistant* is what is taken off what an assistant said, unless that is asked for, and *replies* how
    much of an assistant's question is read with the answer. Asked whether a thing is so now, the last memory has gained
    half of *later* of its score and the first has lost it. What tells the kind of thing that is asked for gains *fits*.
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
        """The share of a neighbour's weighted match that is added to a memory's own."""
        own = self.similarity + self.keyword
        return self.association / own if own else 0.0

    def broad(self) -> "Weights":
        """Return the weights for a question that has answers in many places: no conversation is the one about it."""
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


Routing = Literal["bare", "keywords"]
Fusion = Literal["weights", "ranks"]
Strategy = Literal["fast_first", "weighted", "comprehensive"]


@dataclass(frozen=True, slots=True)
class Scoring:
    """The way memories are ranked. Without *salience*, *kinds* and *tiers* their standing does not count.

    By *routing* a question that names nothing is answered with what was told last (`bare`), or any with a keyword of
    that road (`keywords`). *kinds* and *tiers* multiply a score by how much a memory of that kind or on that tier
    counts against the one that counts most; what is not named counts whole. The *strategy* is `comprehensive` where all
    tiers are ranked together, `weighted` where *tiers* weigh, and `fast_first` where what stands on a hotter tier comes
    first if it is good enough; *tiers* name them, the hottest first. What was never used stands on *entry*.
    *strength* is the share of a score that is lost with a memory that has faded. Of what is told, facts that
    name schematic entities stand *schematic_first*. By *fusion* a score is the weighted sum of what speaks for it, or
    comes of the places by meaning and by words alone. *tenses* multiply the score of a fact that was so when said
    (`current`), and of one that is over (`past`). *calibration* says what a score means.
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
        """True if where a memory stands counts."""
        return self.salience is not None or bool(self.kinds) or bool(self.tiers) or bool(self.strength)


@dataclass(frozen=True, slots=True)
class Bm25:
    """The parameters of BM25: *k1* is how much a long text may still gain, *b* how much length is held against it.

    A word counts once a text, however often it stands there: in short turns repetition says nothing. Turns differ in
    length for reasons that have nothing to do with their subject, hence a small *b* (Robertson and Zaragoza 2009).
    """

    k1: float = 1.2
    b: float = 0.3
