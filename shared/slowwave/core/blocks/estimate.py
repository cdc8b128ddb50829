"""The candidates of a question, chosen from packed blocks: words exactly, meaning by its estimate."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from slowwave.core.blocks.codes import Floats
from slowwave.core.blocks.side import BESIDE, Side

Places = NDArray[np.int64]

MARGIN = 0.03
"""So near to the best neighbour by estimate, another may be the best in truth."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question, and the words that say something like it, each with its weight, less than 1."""

    lexeme: str
    near: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Measures:
    """The weights of likeness and words in a memory's own match, the share of a neighbour's, and BM25's parameters."""

    similarity: float
    keyword: float
    lift: float
    k1: float
    b: float


@dataclass(frozen=True, slots=True)
class Chosen:
    """Places a side that are to be looked at, and the estimate that no other exceeds: 0 if there is no other."""

    places: Sequence[Places]
    threshold: float


class Estimate:
    """The estimated match of each packed episode of *sides*, and what is counted in them all for the rarity of words.

    *memories* is how many there are, *length* their words together, *found* how many have each lexeme.
    """

    def __init__(self, sides: Sequence[Side], words: Sequence[Word], vector: Floats | None, measures: Measures) -> None:
        self._sides, self._words, self.measures = sides, words, measures
        lexemes = list(dict.fromkeys(lexeme for word in words for lexeme in (word.lexeme, *word.near)))
        having = [dict(zip(lexemes, one.laid.words.having(lexemes), strict=True)) for one in sides]
        having = [
            {lexeme: places[one.visible[places]] for lexeme, places in each.items()}
            for one, each in zip(sides, having, strict=True)
        ]
        self.memories = sum(int(one.visible.sum()) for one in sides)
        self.length = sum(int(one.laid.words.columns["lengths"][one.visible].sum()) for one in sides)
        self.found = {lexeme: sum(len(each[lexeme]) for each in having) for lexeme in lexemes}
        self._own = [self._of(one, each, vector) for one, each in zip(sides, having, strict=True)]
        self._reached = [self._lifted(own) for own in self._own]

    def choose(self, many: int) -> Chosen:
        """Return the *many* best by estimate, with those of their neighbours that may lift them most."""
        eligible = [np.where(one.eligible, r, -1) for one, r in zip(self._sides, self._reached, strict=True)]
        every = np.concatenate(eligible)
        may = int((every > 0).sum())
        threshold = float(np.partition(every, -many)[-many]) if many < may else 0.0
        first = every > threshold
        if threshold > 0:
            equals = np.flatnonzero(every == threshold)
            first[equals[len(equals) - (many - int(first.sum())) :]] = True  # of equals what was said later
        parts = np.split(first, np.cumsum([len(reached) for reached in eligible])[:-1])
        return Chosen([self._wide(n, np.flatnonzero(part)) for n, part in enumerate(parts)], threshold)

    def own(self, side: int, positions: Sequence[int]) -> Floats:
        """Return the estimated match of what stands at each of *positions* of a side, NaN where that is not packed."""
        places = self._sides[side].laid.words.places(positions)
        return np.where(places < 0, np.float32(np.nan), self._own[side][places])

    def _of(self, one: Side, having: Mapping[str, Places], vector: Floats | None) -> Floats:
        """The own match of each place: the weighted sum of its likeness and its share of the words."""
        by = self.measures
        lengths = one.laid.words.columns["lengths"]
        share = np.zeros(len(lengths), np.float32)
        for word in self._words:
            rarity = self._rarity(word.lexeme)
            if not word.near:
                share[having[word.lexeme]] += np.float32(rarity)
                continue
            hit = np.zeros(len(lengths), np.float32)
            near = {n: weight * min(1.0, self._rarity(n) / rarity) for n, weight in word.near.items()}
            for lexeme in sorted(near, key=near.__getitem__):
                hit[having[lexeme]] = near[lexeme]
            hit[having[word.lexeme]] = 1
            share += hit * np.float32(rarity)
        total = sum(self._rarity(word.lexeme) for word in self._words)
        mean = max(self.length / self.memories, 1) if self.memories else 1
        some = np.flatnonzero(share)
        saturation = (by.k1 + 1) / (1 + by.k1 * (1 - by.b + by.b * lengths[some] / mean))
        own = np.zeros(len(lengths), np.float32)
        if vector is not None:
            own += by.similarity * np.maximum(one.laid.codes.likeness(vector), 0)
        own[some] += (by.keyword * np.minimum(1, share[some] / (total or 1) * saturation)).astype(np.float32)
        own[~one.visible] = 0
        return own

    def _rarity(self, lexeme: str) -> float:
        found = self.found[lexeme]
        return math.log(1 + (self.memories - found + 0.5) / (found + 0.5))

    def _lifted(self, own: Floats) -> Floats:
        """The match that each place reaches by its own and the best of its neighbours'."""
        padded = np.pad(own, BESIDE)
        best = np.zeros_like(own)
        for step in _STEPS:
            np.maximum(best, padded[BESIDE + step : BESIDE + step + len(own)], out=best)
        lifted: Floats = own + np.float32(self.measures.lift) * best
        return lifted

    def _wide(self, side: int, top: Places) -> Places:
        own = self._own[side]
        beside = self._beside(own, top)
        steps, which = np.nonzero((beside > 0) & (beside >= beside.max(axis=0, initial=0) - MARGIN))
        near = top[which] + np.array(_STEPS)[steps]
        one = self._sides[side]
        also = one.laid.words.places([*one.edges(), *one.also])
        wide: Places = np.unique(np.concatenate([top, near, also[also >= 0]]))
        return wide[one.visible[wide]]

    @staticmethod
    def _beside(own: Floats, places: Places) -> Floats:
        """The own match of each of the neighbours of *places*, a row a step; 0 where there is none."""
        padded = np.pad(own, BESIDE)
        return np.stack([padded[places + BESIDE + step] for step in _STEPS])


_STEPS = tuple(step for step in range(-BESIDE, BESIDE + 1) if step)
