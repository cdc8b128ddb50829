"""Scores of memories: the weights of the reasons, and the calibration that makes all scopes comparable."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from datetime import timedelta
from typing import Literal

from slowwave.core.recall.candidate import Candidate, Ranked
from slowwave.core.salience.terms import Salience

FROM, TO = 20, 50
"""The first and last of the ranks whose memories resemble the question only by chance, and hardly ever answer it."""
UNSEEN = 10
"""The weight of the default background, as a number of memories. If there are few memories, the default dominates."""
REACH = 3
"""The maximum number of positions between neighbours in a session. Time gaps do not matter, because some people answer
within seconds and some after hours.
"""
Routing = Literal["bare", "keywords"]
Fusion = Literal["weights", "ranks"]
Strategy = Literal["fast_first", "weighted", "comprehensive"]


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each reason. The first six weights add up to 1, so that a score is in [0, 1].

    The default values are not sensitive: on dialogue, a change of one of the six by 0.05 changes the recall of evidence
    by less than 0.015. The other weights add to a score, or multiply the score.
    """

    similarity: float = 0.26
    """The weight of the similarity of the vectors."""
    keyword: float = 0.22
    """The weight of the question's words that the memory contains. Rare words count more."""
    association: float = 0.26
    """The weight of the match of a neighbour in the session, or of a fact's episode."""
    speaker: float = 0.09
    """The weight for a memory whose speaker or subject the question names."""
    recency: float = 0.04
    """The weight of recency, which only decides between equal scores."""
    conversation: float = 0.13
    """The weight of the match of the whole conversation; it is 0 for questions that ask for a list."""

    cover: float = 0.5
    """The weight of a word that only a neighbour contains."""
    beside: float = 0.30
    """The weight of the best measure of the other candidate sources, such as the graph. It adds to the first six."""
    chain: float = 0.30
    """The weight that is added to *beside* for a memory to which everything named in a question leads. The question
    does not name this memory itself."""
    current: float = 1.2
    """The maximum gain of a currently believed fact, as a multiple of its score. The gain depends on its share of the
    question's words."""
    retold: float = 0.5
    """The share of *speaker* that a statement gets for its subject."""
    time: float = 0.25
    """The weight of the nearness of a memory to the time that the question names."""
    dated: float = 0.04
    """The weight for a memory that states a time, if the question asks for a time."""
    named: float = 0.0
    """The weight of speakers' names relative to a question's other words. It is low because *speaker* already covers
    names."""
    worded: float = 0.6
    """The share of a fact's similarity that is computed word by word, because the vector of a short text mostly depends
    on the name in it."""
    assistant: float = 0.3
    """The reduction of the score of an assistant's words, unless the question asks for them."""
    replies: float = 0.6
    """The share of the match of an assistant's question that is added to the answer."""
    later: float = 0.5
    """The effect of age if a question asks about the present. The newest memory gains half of this share of its score,
    and the oldest memory loses the same share."""
    fits: float = 0.1
    """The weight for a memory that contains the kind of thing that the question asks for: a person, a place or a
    number."""

    def __post_init__(self) -> None:
        if min(astuple(self)) < 0 or not math.isclose(sum(self._parts), 1):
            raise ValueError(f"weights must be 0 or more and add up to 1, got {self}")

    @property
    def lift(self) -> float:
        """The share of a neighbour's weighted match that is added to a memory's own match."""
        own = self.similarity + self.keyword
        return self.association / own if own else 0.0

    def broad(self) -> "Weights":
        """Return the weights for a question whose answers are in many conversations.

        The match of a whole conversation has no weight.
        """
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
    """The curve that maps a match, by its distance above the background, to the probability that the memory answers.

    The *background* is the match that memories reach by chance; the value here is a default that fits most questions. A
    memory with this match hardly ever answers. The probability of the best memories is *most*. A memory whose match
    exceeds the background by *half* has half of this probability. *slope* is the steepness of the curve.
    """

    half: float = 0.19
    slope: float = 21.9
    most: float = 0.45
    background: float = 0.37


def calibrated(ranked: Sequence[Ranked], by: Calibration) -> list[Ranked]:
    """Return *ranked* with calibrated scores, in the same order. `match` keeps the score before calibration.

    Of two memories in one answer, the memory with the better match never has the lower score.
    """
    common = background([one.score for one in ranked], by)
    chances = (by.most / (1 + math.exp(-by.slope * (one.score - common - by.half))) for one in ranked)
    return [Ranked(one.candidate, chance, one.reasons, one.score) for one, chance in zip(ranked, chances, strict=True)]


def background(scores: Sequence[float], by: Calibration) -> float:
    """Return the match that memories reach by chance for this question, computed from the *scores* of all ranked
    memories.
    """
    chance = sorted(scores, reverse=True)[FROM:TO]
    return (sum(chance) + UNSEEN * by.background) / (len(chance) + UNSEEN)


def levelled(spaces: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """Return the candidates of all embedding *spaces*, with similarities that depend only on the ranks in each space.

    Each rank gets the mean similarity of that rank over all spaces. The order within a space does not change, and no
    space is preferred because its cosines are high. A similarity of 0 stays 0. Words, times and neighbours are
    comparable in all spaces, and decide between memories of different spaces.
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
    """The rule by which two episodes are neighbours, and the boost for neighbours.

    The match of a memory raises the scores of memories at most *reach* positions away in the session. With *within* and
    *boost*, another rule applies: a score grows by *boost* if another of the best results happened within the time
    *within*.
    """

    reach: int | None = REACH
    within: timedelta | None = None
    boost: float | None = None

    def __post_init__(self) -> None:
        if (self.within is None) != (self.boost is None) or (self.within is None) == (self.reach is None):
            raise ValueError(f"contiguity goes by reach, or by within and boost, got {self}")


@dataclass(frozen=True, slots=True)
class Scoring:
    """The rules for ranking memories.

    If *salience*, *kinds*, *tiers* and *strength* are all None, the state of a memory (its standing) does not count.
    *routing* says which questions the newest memories answer: only questions that name nothing (`bare`), or all
    questions with a keyword such as "last time" (`keywords`). *kinds* and *tiers* multiply a score by the weight of the
    memory's kind or tier, relative to the largest weight; an unlisted kind or tier has the full weight. *strategy* is
    `comprehensive` (all tiers are ranked together), `weighted` (*tiers* are weights), or `fast_first` (good memories of
    hotter tiers come first). *tiers* lists the tiers, hottest first. Memories that were never used are on the tier
    *entry*. *strength* is the share of the score that a fully faded memory loses. With *schematic_first*, facts that
    name schematic entities come first among the answers. *fusion* says whether a score is the weighted sum of the
    reasons, or is computed only from the ranks by similarity and by words. *tenses* multiply the score of a fact that
    is `current` or `past`. *calibration* converts matches to scores.
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
    def uses_state(self) -> bool:
        """True if the state of a memory (its standing) counts."""
        return self.salience is not None or bool(self.kinds) or bool(self.tiers) or bool(self.strength)


@dataclass(frozen=True, slots=True)
class Bm25:
    """The parameters of BM25: *k1* scales the effect of a text's length, and *b* is the penalty for a long text.

    A word counts once per text, because repetition says nothing in short turns. *b* is small, because the length of a
    turn has little to do with its subject (Robertson and Zaragoza 2009).
    """

    k1: float = 1.2
    b: float = 0.3
