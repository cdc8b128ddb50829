"""Scores of memories: the weight of each reason, calibrated so that a score means the same in every scope."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Literal

from slowwave.core.recall.candidate import Candidate, Ranked
from slowwave.core.salience.terms import Salience

FROM, TO = 20, 50
"""The ranks whose memories hardly ever answer: they resemble the question by chance."""
UNSEEN = 10
"""The weight, in memories, of the default background: with few memories it dominates."""
REACH = 3
"""The most positions of a session between neighbours: time gaps say little, as some people answer within seconds and
some after hours."""
Routing = Literal["bare", "keywords"]
Fusion = Literal["weights", "ranks"]
Strategy = Literal["fast_first", "weighted", "comprehensive"]


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each reason; the first six add up to 1, so that a score lies in [0, 1].

    The values lie in the middle of a plateau: on dialogue, moving any of the six by 0.05 changes evidence recall by
    less than 0.015. The others add to a score, or multiply it.
    """

    similarity: float = 0.26
    """The similarity of the vectors."""
    keyword: float = 0.22
    """The question's words in the memory, rare words more."""
    association: float = 0.26
    """The match of a neighbour in the session, or of a fact's episode."""
    speaker: float = 0.09
    """The question names the speaker, or the person whom the memory is about."""
    recency: float = 0.04
    """Breaks ties only."""
    conversation: float = 0.13
    """The match of the whole conversation; 0 for questions that ask for a list."""

    cover: float = 0.5
    """The weight of a word that only a neighbour contains."""
    beside: float = 0.30
    """The best measure of the other candidate sources, such as the graph, on top of the others."""
    chain: float = 0.30
    """Added to *beside* for a memory to which everything named in a question leads, and which is not itself named."""
    current: float = 1.2
    """A currently believed fact gains up to this times its score, by its share of the question's words."""
    retold: float = 0.5
    """The share of *speaker* that a statement gets for its subject."""
    time: float = 0.25
    """The nearness of a memory to the time that the question names."""
    dated: float = 0.04
    """The memory states a time, and the question asks for one."""
    named: float = 0.0
    """The weight of speakers' names among a question's words, as *speaker* covers them."""
    worded: float = 0.6
    """The share of a fact's similarity that is computed word by word: a short text's vector is mostly its name."""
    assistant: float = 0.3
    """Subtracted from an assistant's words unless the question asks for them."""
    replies: float = 0.6
    """The share of an assistant's question that is added to its answer."""
    later: float = 0.5
    """If a question asks about the present, the newest memory gains half of this of its score; the oldest loses it."""
    fits: float = 0.1
    """The memory contains the kind of thing that is asked for: a person, a place, a number."""

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
        """Return the weights for a question whose answers lie in many conversations: which one it is does not count."""
        rest = 1 - self.conversation
        if not rest or not self.conversation:
            return replace(self, cover=0.0)
        names = ("similarity", "keyword", "association", "speaker", "recency")
        return replace(self, conversation=0.0, cover=0.0, **{name: getattr(self, name) / rest for name in names})

    @property
    def _parts(self) -> tuple[float, ...]:
        return (self.similarity, self.keyword, self.association, self.speaker, self.recency, self.conversation)


@dataclass(frozen=True, slots=True)
class Calibration:
    """The curve from a match's distance above the background to the chance that it answers.

    A memory that matches as well as the *background*, which is reached by chance, hardly ever answers; one that lies
    *half* above it answers half as often as the best, whose chance is *most*; *slope* is the steepness. *background* is
    the default, that of most questions.
    """

    half: float = 0.19
    slope: float = 21.9
    most: float = 0.45
    background: float = 0.37


def calibrated(ranked: Sequence[Ranked], by: Calibration) -> list[Ranked]:
    """Return *ranked* with calibrated scores; the order stays, and `match` keeps the old score.

    Of two memories of one answer the better match never scores less.
    """
    common = background([one.score for one in ranked], by)
    return [Ranked(one.candidate, _chance(one.score - common, by), one.reasons, one.score) for one in ranked]


def background(scores: Sequence[float], by: Calibration) -> float:
    """Return the match that memories reach by chance for this question, from the *scores* of all ranked ones."""
    chance = sorted(scores, reverse=True)[FROM:TO]
    return (sum(chance) + UNSEEN * by.background) / (len(chance) + UNSEEN)


def _chance(above: float, by: Calibration) -> float:
    return by.most / (1 + math.exp(-by.slope * (above - by.half)))


def levelled(spaces: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """Return the candidates of all *spaces*, space by space, with similarities that depend on their ranks.

    Each rank gets the mean similarity of that rank over all spaces. So the order within a space does not change, and no
    space is preferred because its cosines are high. A similarity of 0 stays 0. Words, times and neighbours are
    comparable in all spaces and decide between them.
    """
    ordered = [sorted({one.similarity for one in space if one.similarity > 0}, reverse=True) for space in spaces]
    firsts = [similarities[0] for similarities in ordered if similarities]
    level = [sum(firsts) / len(firsts)] if firsts else []
    for place in range(1, max(map(len, ordered), default=0)):
        longer = [similarities for similarities in ordered if place < len(similarities)]
        fallen = sum(one[place] for one in longer) / sum(one[place - 1] for one in longer)
        level.append(level[-1] * fallen)
    of = [dict(zip(similarities, level, strict=False)) for similarities in ordered]
    return [
        one.but(similarity=known.get(one.similarity, one.similarity))
        for space, known in zip(spaces, of, strict=True)
        for one in space
    ]


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
