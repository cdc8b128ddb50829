"""The facts that match a question, measured exactly from a process's copy of their scopes."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slowwave.core.blocks.codes import Floats
from slowwave.core.blocks.estimate import Counted, Measures, Word, adds, by_word
from slowwave.core.blocks.facts import FactRow, Facts
from slowwave.core.blocks.postings import Places, Postings, Shares
from slowwave.core.blocks.words import microseconds
from slowwave.domain.queries.filters import Filters

USER = "user"
"""The lexeme in facts for a scope's user, if no name is known."""

Masks = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rest:
    """The episodes for the rarity of words: how many *memories*, their *length*, and how many have each word."""

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
        self._begins = np.cumsum([0, *(len(facts.rows) for _, facts in sides)])
        self._so: Masks = _end_to_end([facts.believed_at(now) for _, facts in sides], np.bool_)
        self._lengths = _end_to_end([facts.lengths for _, facts in sides], np.int64)
        self.statements: Masks = _end_to_end([facts.statements for _, facts in sides], np.bool_)
        self.occurred: Places = _end_to_end([facts.occurred for _, facts in sides], np.int64)
        self._ids = _end_to_end([facts.ids for _, facts in sides], np.uint64)
        others = {word.lexeme: _others(word.lexeme, called) for word in words}
        lexemes = dict.fromkeys(one for word in words for one in (word.lexeme, *word.near, *others[word.lexeme]))
        numbers = {lexeme: number for number, lexeme in enumerate(lexemes)}
        having = Postings.end_to_end(
            [facts.having(list(lexemes)) for _, facts in sides], self._begins[:-1].tolist(), len(numbers)
        ).among(self._so)
        counted = self._so & ~self.statements
        memories = int(counted.sum()) + rest.memories
        length = max((int(self._lengths[counted].sum()) + rest.length) / memories, 1.0) if memories else 1.0

        found = dict(zip(numbers, having.counted(counted), strict=True))
        for lexeme, synonyms in others.items():
            if synonyms:
                places = np.concatenate([having[numbers[one]] for one in (lexeme, *synonyms)])
                found[lexeme] = int(counted[np.unique(places)].sum())
        sought = [lexeme for word in words for lexeme in (word.lexeme, *word.near)]
        many = np.array([found[lexeme] + rest.found[lexeme] for lexeme in sought])
        rarities = np.log(1 + (memories - many + 0.5) / (many + 0.5)).tolist()
        self.counted = Counted(length, dict(zip(sought, rarities, strict=True)))

        self.shares: Shares = np.zeros((len(words), len(self._so)))
        every = adds(words, self.counted.rarities, numbers)
        every += [
            (share, row, numbers[synonym])
            for share, row, number in every
            for synonym in others[words[row].lexeme]
            if number == numbers[words[row].lexeme]
        ]
        having.spread(every, np.arange(len(self._so)), self.shares)
        by = measures
        self.saturations: Shares = (by.k1 + 1) / (1 + by.k1 * (1 - by.b + by.b * self._lengths / length))
        self.keywords: Shares = np.minimum(1, self.shares.sum(axis=0) * self.saturations)
        self.close = self._close(vector)
        self.own: Shares = by.similarity * self.close + by.keyword * self.keywords

    def best(self, eligible: Masks, beside: Masks) -> Places:
        """Return the places of the *eligible* facts: first the facts in *beside*, then the best matches."""
        places = np.flatnonzero(eligible & self._so & ((self.own > 0) | beside))
        order = np.lexsort((self._ids[places], -self.occurred[places], -self.own[places], ~beside[places]))
        best: Places = places[order]
        return best

    def let_through(self, filters: Filters) -> Masks:
        """Return which facts pass *filters*; *roles* and *tiers* are ignored."""
        through = np.ones(len(self._so), np.bool_)
        if filters.kinds is not None:
            kinds = {*filters.kinds, *(("typed", "statement") if "fact" in filters.kinds else ())}
            through &= np.where(self.statements, "statement" in kinds, "typed" in kinds)
        if filters.sessions is not None:
            through &= np.array([row.session in set(filters.sessions) for row in self._rows], np.bool_)
        if filters.exclude_sessions is not None:
            through &= np.array([row.session not in set(filters.exclude_sessions) for row in self._rows], np.bool_)
        if filters.since is not None:
            through &= self.occurred >= microseconds(filters.since)
        if filters.until is not None:
            through &= self.occurred < microseconds(filters.until)
        return through

    def named(self, facts: Collection[uuid.UUID]) -> Masks:
        """Return which of them are in *facts*."""
        maybe = np.isin(self._ids, np.array([fact.int >> 64 for fact in facts], np.uint64), kind="sort")
        for place, (_, row) in zip(places := np.flatnonzero(maybe), self.at(places), strict=True):
            maybe[place] = row.fact in facts
        return maybe

    def numbers(self, places: Places) -> list[tuple[int, int]]:
        """Return the number of the scope, and of the row in it, at each of *places*."""
        of = np.searchsorted(self._begins, places, side="right") - 1
        return list(zip(of.tolist(), (places - self._begins[of]).tolist(), strict=True))

    def at(self, places: Places) -> list[tuple[int, FactRow]]:
        """Return the number of the scope and the row at each of *places*."""
        return [(side, self.sides[side][1].rows[row]) for side, row in self.numbers(places)]

    def said(self, places: Places) -> list[dict[int, float]]:
        """Return for each of *places* what each word of the question that it contains adds to its keyword score."""
        return by_word(self.shares[:, places])

    @property
    def _rows(self) -> list[FactRow]:
        return [row for _, facts in self.sides for row in facts.rows]

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
