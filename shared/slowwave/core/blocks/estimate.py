"""The candidates of a question, chosen from packed blocks by exact word matches and estimated similarity."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from slowwave.core.blocks.codes import Floats
from slowwave.core.blocks.scope_view import BESIDE, ScopeView
from slowwave.core.blocks.words import Adds, Places, Shares

FIRST_REFINED = 1_000
"""The number of episodes that are first estimated again from their fine codes."""
MARGIN = 0.03
"""The allowed estimation error between neighbours. Two estimates that differ by less may be in the wrong order."""
FINE_MARGIN = 0.008
"""The allowed error of a fine estimate between neighbours."""
SPARE = 1.15
"""The factor, found in tests, by which the error of an estimate grows when it is measured on more episodes."""
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
        self._counted, self._vector = counted, vector
        self._keyword_shares = [self._shares(number) for number in range(len(self.sides))]
        self.close = [self._likeness(one, vector) for one in self.sides]
        self.own = [self._of(number) for number in range(len(self.sides))]
        self._reached = [self._lifted(own) for own in self.own]
        self.fine = vector is not None and not self.exact
        self.fine = self.fine and all(one.laid.codes.fine is not None for one in self.sides)
        if self.fine:
            self._rough, self.limit = self._reached, 0.0
            self._done = [np.zeros(len(own), np.bool_) for own in self.own]
            self._whole = [np.zeros(len(own), np.bool_) for own in self.own]
            for done, one in zip(self._done, self.sides, strict=True):
                done[[place for place, _ in one.near]] = True

    def keyword_shares(self, side: int, places: Places) -> tuple[Shares, Shares]:
        """Return the contributions to the keyword score of *places*, one row per word of the question, and the
        saturation of each place (its factor for length).

        The keyword score of a place is the sum of its contributions times its saturation, at most 1.
        """
        columns, every = self._keyword_shares[side]
        return every[:, columns[places]], self._saturations(side, places)

    def choose(self, many: int) -> Chosen:
        """Return the best places by estimated match, *many* in number, and the neighbours that may raise the match of
        these places most.
        """
        parts, threshold = self._first(self._reached, many)
        margin = FINE_MARGIN if self.fine else MARGIN
        return Chosen([self._wide(n, part, margin) for n, part in enumerate(parts)], threshold)

    def _first(self, matches: Sequence[Floats], many: int) -> tuple[list[Places], float]:
        """Return the *many* eligible places with the best *matches* above 0, and the match of the last of them; 0 if
        these are all places with such a match.
        """
        places = [np.flatnonzero(one.eligible & (each > 0)) for one, each in zip(self.sides, matches, strict=True)]
        every = _end_to_end([each[part] for each, part in zip(matches, places, strict=True)])
        if many >= len(every):
            return places, 0.0
        threshold = float(np.partition(every, -many)[-many])
        first = every > threshold
        equals = np.flatnonzero(every == threshold)
        first[equals[len(equals) - (many - int(first.sum())) :]] = True  # of equal places, the newest
        chosen = np.split(first, np.cumsum([len(part) for part in places]))
        return [part[one] for part, one in zip(places, chosen, strict=False)], threshold

    def refine(self, most: int, least: float | None = None) -> float:
        """Estimate again, from the fine codes, every place that may be among the best *most*; return the estimated
        match of the last of these.

        If *least* is given, every place whose match may be at least *least* is estimated. `choose` then considers only
        the places that were estimated again; the match of every other place is at most *limit*.
        """
        level, off = least, 0.0
        places, _ = self._first(self._rough, max(most, FIRST_REFINED))
        while any(len(part) for part in places):
            for number, part in enumerate(places):
                self._estimate_again(number, self._wide(number, part, MARGIN))
                self._whole[number][part] = True
            lifted = [self._lifted(own) for own in self.own]
            off = max(
                float(np.abs(now - rough)[whole].max(initial=0))
                for now, rough, whole in zip(lifted, self._rough, self._whole, strict=True)
            )
            self._reached = [np.where(whole, now, -1) for now, whole in zip(lifted, self._whole, strict=True)]
            if least is None:
                level = self._first(self._reached, most)[1]
            self.limit = max((level or 0.0) - (SPARE - 1) * off, 0.0)
            places = [
                np.flatnonzero((rough > self.limit - off) & one.eligible & ~whole)
                for rough, one, whole in zip(self._rough, self.sides, self._whole, strict=True)
            ]
        return level or 0.0

    def _estimate_again(self, side: int, places: Places) -> None:
        one, done = self.sides[side], self._done[side]
        new = places[~done[places]]
        if len(new) and self._vector is not None:
            closer = np.maximum(one.laid.codes.closer(self._vector, new), 0)
            self.own[side][new] += np.float32(self.measures.similarity) * (closer - self.close[side][new])
            self.close[side][new] = closer
            done[new] = True

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

    def _saturations(self, side: int, places: Places) -> Shares:
        by, lengths = self.measures, self.sides[side].laid.words.columns["lengths"][places]
        saturations: Shares = (by.k1 + 1) / (1 + by.k1 * (1 - by.b + by.b * lengths / self._counted.length))
        return saturations

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
            shares = self._keyword_shares[side][1][:, :-1]  # its columns are these places, in order
            own[places] = by.keyword * np.minimum(1, shares.sum(axis=0) * self._saturations(side, places))
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

    def _wide(self, side: int, top: Places, margin: float) -> Places:
        own, one = self.own[side], self.sides[side]
        wide = np.zeros(len(own), np.bool_)
        wide[top] = wide[one.also] = True
        asked = np.flatnonzero(wide)
        padded = np.pad(own, BESIDE)
        beside = np.stack([padded[asked + BESIDE + step] for step in _STEPS])  # one row per distance; 0 outside
        steps, which = np.nonzero((beside > 0) & (beside >= beside.max(axis=0, initial=0) - margin))
        wide[asked[which] + np.array(_STEPS)[steps]] = True
        return np.flatnonzero(wide & one.visible)


def _end_to_end(parts: Sequence[Floats]) -> Floats:
    return np.concatenate(parts) if parts else np.zeros(0, np.float32)
