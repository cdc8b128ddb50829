"""The candidates of a question, chosen from packed blocks by exact word matches and estimated similarity."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from slowwave.core.blocks.codes import Floats
from slowwave.core.blocks.scope_view import BESIDE, ScopeView
from slowwave.core.blocks.words import Adds, Places, Shares

MARGIN = 0.03
"""The allowed estimation error between neighbours. Two estimates that differ by less may be in the wrong order."""
_STEPS = tuple(step for step in range(-BESIDE, BESIDE + 1) if step)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question, and its near synonyms, each with a weight below 1."""

    lexeme: str
    near: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Measures:
    """The weights for a memory's match, a number that says how well the memory answers the question.

    *similarity* and *keyword* are the weights in the memory's own match. *lift* is the share of a neighbouring
    episode's match that is added, for the neighbour with the best match. *k1* and *b* are the parameters of BM25.
    """

    similarity: float
    keyword: float
    lift: float
    k1: float
    b: float


@dataclass(frozen=True, slots=True)
class Chosen:
    """The *places* to examine in each scope, which are indices into the scope's packed episodes. The estimated match of
    every other place is at most *threshold*.

    The threshold is 0 if all places with an estimate above 0 are chosen.
    """

    places: Sequence[Places]
    threshold: float


@dataclass(frozen=True, slots=True)
class Counted:
    """The *rarities* of words by lexeme, and the mean *length* of a memory, counted over episodes and facts."""

    length: float
    rarities: Mapping[str, float]


def adds(words: Sequence[Word], rarity: Mapping[str, float], numbers: Mapping[str, int]) -> list[Adds]:
    """Return the contribution of each word of a question, and of each near synonym, to a keyword score.

    *numbers* gives the number of each lexeme in the postings.
    """
    total = sum(rarity[word.lexeme] for word in words) or 1.0
    found = []
    for row, word in enumerate(words):
        own = rarity[word.lexeme]
        most = own / total
        found += [
            (most * weight * (rarity[lexeme] / own if rarity[lexeme] < own else 1.0), row, numbers[lexeme])
            for lexeme, weight in word.near.items()
        ]
        found.append((most, row, numbers[word.lexeme]))
    return found


class Estimate:
    """The estimated match of each packed episode of *sides* (one view per scope), and the counts for word rarity.

    *memories* is the number of episodes, and *length* is their total number of words. *found* has the number of
    episodes that contain each lexeme. After `measure`, *close* has for each view the estimated similarity of each place
    to the question, at least 0, and *own* has the estimated match of each place without the share of neighbours.
    """

    def __init__(self, sides: Sequence[ScopeView], words: Sequence[Word], measures: Measures) -> None:
        self.sides, self._words, self.measures = sides, words, measures
        lexemes = list(dict.fromkeys(lexeme for word in words for lexeme in (word.lexeme, *word.near)))
        self._numbers = {lexeme: number for number, lexeme in enumerate(lexemes)}
        self._having = [one.laid.words.having(lexemes).among(one.visible) for one in sides] if lexemes else []
        self.memories = sum(int(one.visible.sum()) for one in sides)
        self.length = sum(int(one.laid.words.columns["lengths"][one.visible].sum()) for one in sides)
        found = [sum(each) for each in zip(*(having.counts for having in self._having), strict=True)]
        self.found = dict(zip(lexemes, found or [0] * len(lexemes), strict=True))

    def measure(self, vector: Floats | None, counted: Counted) -> None:
        """Estimate the match of each place with a question's *vector* and words. *counted* has the words' rarities."""
        self._counted = counted
        self._keyword_shares = [self._shares(number) for number in range(len(self.sides))]
        self.close = [self._likeness(one, vector) for one in self.sides]
        self.own = [self._of(number) for number in range(len(self.sides))]
        self._reached = [self._lifted(own) for own in self.own]

    def keyword_shares(self, side: int, places: Places) -> tuple[Shares, Shares]:
        """Return the contributions to the keyword score of *places*, one row per word of the question, and the
        saturation of each place (its factor for length).

        The keyword score of a place is the sum of its contributions times its saturation, at most 1.
        """
        by, (columns, every) = self.measures, self._keyword_shares[side]
        lengths = self.sides[side].laid.words.columns["lengths"][places]
        saturations = (by.k1 + 1) / (1 + by.k1 * (1 - by.b + by.b * lengths / self._counted.length))
        return every[:, columns[places]], saturations

    def choose(self, many: int) -> Chosen:
        """Return the best places by estimated match, *many* in number, and the neighbours that may raise the match of
        these places most.
        """
        eligible = [np.where(one.eligible, r, -1) for one, r in zip(self.sides, self._reached, strict=True)]
        every = np.concatenate([*eligible, np.zeros(0, np.float32)])
        may = int((every > 0).sum())
        threshold = float(np.partition(every, -many)[-many]) if many < may else 0.0
        first = every > threshold
        if threshold > 0:
            equals = np.flatnonzero(every == threshold)
            first[equals[len(equals) - (many - int(first.sum())) :]] = True  # of equal places, the newest
        parts = np.split(first, np.cumsum([len(reached) for reached in eligible]))[: len(eligible)]
        return Chosen([self._wide(n, np.flatnonzero(part)) for n, part in enumerate(parts)], threshold)

    def above(self, least: float) -> int:
        """Return the number of places with an estimated match of at least *least*."""
        return sum(int((r[one.eligible] >= least).sum()) for one, r in zip(self.sides, self._reached, strict=True))

    @property
    def exact(self) -> bool:
        """True if similarity is measured, not estimated."""
        return all(one.laid.codes.exact is not None for one in self.sides)

    def _shares(self, side: int) -> tuple[Places, Shares]:
        """Return the column of each place, and an array with the keyword score of each question word in each column.
        The last column has zeros, for places without these words.
        """
        some = np.zeros(len(self.sides[side].visible), np.bool_)
        if self._having:
            some[self._having[side].places] = True
        columns = np.where(some, some.cumsum() - 1, -1)
        shares = np.zeros((len(self._words), int(some.sum()) + 1))
        if self._having:
            self._having[side].spread(adds(self._words, self._counted.rarities, self._numbers), columns, shares)
        return columns, shares

    @staticmethod
    def _likeness(one: ScopeView, vector: Floats | None) -> Floats:
        if vector is None:
            return np.zeros(len(one.visible), np.float32)
        near = one.laid.codes.likeness(vector)
        for place, similarity in one.near:
            near[place] = similarity
        return np.maximum(near, 0)

    def _of(self, side: int) -> Floats:
        by, one = self.measures, self.sides[side]
        own = np.zeros(len(one.visible), np.float32)
        if len(places := np.flatnonzero(self._keyword_shares[side][0] >= 0)):
            shares, saturations = self.keyword_shares(side, places)
            own[places] = by.keyword * np.minimum(1, shares.sum(axis=0) * saturations)
        own += by.similarity * self.close[side]
        own[~one.visible] = 0
        return own

    def _lifted(self, own: Floats) -> Floats:
        padded = np.pad(own, BESIDE)
        best = np.zeros_like(own)
        for step in _STEPS:
            np.maximum(best, padded[BESIDE + step : BESIDE + step + len(own)], out=best)
        lifted: Floats = own + np.float32(self.measures.lift) * best
        return lifted

    def _wide(self, side: int, top: Places) -> Places:
        own, one = self.own[side], self.sides[side]
        wide = np.zeros(len(own), np.bool_)
        wide[top] = wide[one.also] = True
        asked = np.flatnonzero(wide)
        padded = np.pad(own, BESIDE)
        beside = np.stack([padded[asked + BESIDE + step] for step in _STEPS])  # one row per distance; 0 outside
        steps, which = np.nonzero((beside > 0) & (beside >= beside.max(axis=0, initial=0) - MARGIN))
        wide[asked[which] + np.array(_STEPS)[steps]] = True
        return np.flatnonzero(wide & one.visible)
