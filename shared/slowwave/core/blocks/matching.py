"""The facts that match a question, measured exactly from a process's copy of their scopes."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slowwave.core.blocks.codes import Floats
from slowwave.core.blocks.estimate import Counted, Measures, Shares, Word
from slowwave.core.blocks.facts import FactRow, Facts, Places
from slowwave.core.blocks.words import microseconds
from slowwave.domain.reading.filters import Filters

USER = "user"
"""The lexeme in facts for a scope's user, if no name is known."""

Masks = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rest:
    """The episodes that count with facts for word rarity: the number of *memories*, their *length*, those *found*."""

    memories: int
    length: int
    found: Mapping[str, int]


class Matching:
    """The match of each fact of some scopes with a question asked at *now*.

    *words* are those of the question, *called* the lexemes of users' names: they and "user" are synonyms. For word
    counts, statements are not memories of their own: they repeat their episode.
    """

    def __init__(
        self,
        sides: Sequence[tuple[uuid.UUID, Facts]],
        words: Sequence[Word],
        vector: Floats | None,
        *,
        rest: Rest,
        called: Collection[str],
        measures: Measures,
        now: datetime,
    ) -> None:
        self.sides = sides
        self._words = words
        self._begins = np.cumsum([0, *(len(facts.rows) for _, facts in sides)])
        self._so: Masks = _end_to_end([facts.believed_at(now) for _, facts in sides], np.bool_)
        self._lengths = _end_to_end([facts.lengths for _, facts in sides], np.int64)
        self.statements: Masks = _end_to_end([facts.statements for _, facts in sides], np.bool_)
        self.occurred: Places = _end_to_end([facts.occurred for _, facts in sides], np.int64)
        self._ids = _end_to_end([facts.ids for _, facts in sides], np.uint64)
        others = {word.lexeme: _others(word.lexeme, called) for word in words}
        lexemes = dict.fromkeys(one for word in words for one in (word.lexeme, *word.near, *others[word.lexeme]))
        having = {lexeme: self._having(lexeme) for lexeme in lexemes}
        counted = self._so & ~self.statements
        memories = int(counted.sum()) + rest.memories
        length = max((int(self._lengths[counted].sum()) + rest.length) / memories, 1.0) if memories else 1.0

        def rarity(lexeme: str, places: Places) -> float:
            found = int(counted[places].sum()) + rest.found[lexeme]
            return float(np.log(1 + (memories - found + 0.5) / (found + 0.5)))

        same = {
            word.lexeme: np.unique(np.concatenate([having[one] for one in (word.lexeme, *others[word.lexeme])]))
            for word in words
        }
        rarities = {lexeme: rarity(lexeme, having[lexeme]) for word in words for lexeme in word.near}
        rarities |= {lexeme: rarity(lexeme, places) for lexeme, places in same.items()}
        self.counted = Counted(length, rarities)

        self.shares = self._shares(having, same)
        by = measures
        self.saturations: Shares = (by.k1 + 1) / (1 + by.k1 * (1 - by.b + by.b * self._lengths / length))
        self.keywords: Shares = np.minimum(1, self.shares.sum(axis=0) * self.saturations)
        self.close = self._close(vector)
        self.own: Shares = by.similarity * self.close + by.keyword * self.keywords

    def best(self, eligible: Masks, beside: Masks) -> Places:
        """Return the places of those *eligible*: first those in *beside*, then the best matches."""
        places = np.flatnonzero(eligible & self._so & ((self.own > 0) | beside))
        order = np.lexsort((self._ids[places], -self.occurred[places], -self.own[places], ~beside[places]))
        best: Places = places[order]
        return best

    def let_through(self, filters: Filters) -> Masks:
        """Return which of them pass *filters*; *roles* and *tiers* are ignored."""
        rows = [row for _, facts in self.sides for row in facts.rows]
        through = np.ones(len(rows), np.bool_)
        if filters.kinds is not None:
            kinds = {*filters.kinds, *(("typed", "statement") if "fact" in filters.kinds else ())}
            through &= np.where(self.statements, "statement" in kinds, "typed" in kinds)
        if filters.sessions is not None:
            through &= np.array([row.session in set(filters.sessions) for row in rows], np.bool_)
        if filters.exclude_sessions is not None:
            through &= np.array([row.session not in set(filters.exclude_sessions) for row in rows], np.bool_)
        if filters.since is not None:
            through &= self.occurred >= microseconds(filters.since)
        if filters.until is not None:
            through &= self.occurred < microseconds(filters.until)
        return through

    def named(self, facts: Collection[uuid.UUID]) -> Masks:
        """Return which of them are in *facts*."""
        if not facts:
            return np.zeros(len(self.own), np.bool_)
        return np.array([row.fact in facts for _, side in self.sides for row in side.rows], np.bool_)

    def at(self, places: Places) -> list[tuple[uuid.UUID, FactRow]]:
        """Return the scope and the row at each of *places*."""
        of = np.searchsorted(self._begins, places, side="right") - 1
        rows = zip(of.tolist(), (places - self._begins[of]).tolist(), strict=True)
        return [(self.sides[side][0], self.sides[side][1].rows[row]) for side, row in rows]

    def said(self, places: Places) -> list[tuple[list[int], list[float]]]:
        """Return the question's words that each of *places* contains, and what each adds to its keyword score."""
        every = self.shares[:, places].T.tolist()
        said = ([(word, share) for word, share in enumerate(shares) if share] for shares in every)
        return [([word for word, _ in each], [share for _, share in each]) for each in said]

    def _having(self, lexeme: str) -> Places:
        """The places whose facts are true now and contain *lexeme*."""
        every = [facts.having(lexeme) + begin for (_, facts), begin in zip(self.sides, self._begins, strict=False)]
        places: Places = _end_to_end(every, np.int64)
        so: Places = places[self._so[places]]
        return so

    def _shares(self, having: Mapping[str, Places], same: Mapping[str, Places]) -> Shares:
        """The shares that each word of the question, a row each, adds to the keyword score of each fact."""
        rarity = self.counted.rarities
        total = sum(rarity[word.lexeme] for word in self._words) or 1.0
        shares = np.zeros((len(self._words), len(self._so)))
        for row, word in zip(shares, self._words, strict=True):
            most = rarity[word.lexeme] / total
            for lexeme, weight in word.near.items():
                share = most * weight * min(1.0, rarity[lexeme] / rarity[word.lexeme])
                row[having[lexeme]] = np.maximum(row[having[lexeme]], share)
            row[same[word.lexeme]] = most
        return shares

    def _close(self, vector: Floats | None) -> Shares:
        if vector is None or not (length := float(np.linalg.norm(vector))):
            return np.zeros(len(self._so))
        unit = np.asarray(vector, np.float32) / np.float32(length)
        close: Shares = _end_to_end([np.vecdot(facts.meanings, unit) for _, facts in self.sides], np.float64)
        return np.maximum(0, close)


def _others(lexeme: str, called: Collection[str]) -> list[str]:
    """The other lexemes that are synonyms of *lexeme* in facts."""
    if lexeme == USER:
        return [name for name in called if name != USER]
    return [USER] if lexeme in called else []


def _end_to_end(parts: Sequence[NDArray[Any]], kind: type[np.generic]) -> NDArray[Any]:
    return np.concatenate(parts).astype(kind, copy=False) if parts else np.zeros(0, kind)
