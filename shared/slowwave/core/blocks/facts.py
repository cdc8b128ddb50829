"""The facts of one scope in a process's memory, and those that match a question, measured exactly."""

import uuid
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slowwave.core.blocks.codes import Floats, unit_vectors
from slowwave.core.blocks.estimate import Counted, Measures, Word, adds
from slowwave.core.blocks.words import Places, Postings, Shares, microseconds, moment, ranges, within, word_hash
from slowwave.domain.claim import Form
from slowwave.domain.queries.filters import Filters

_EVER = np.iinfo(np.int64)
_ROW_BYTES = 1_000
"""The approximate size of a row's words, times and names."""
USER = "user"
"""The lexeme in facts for a scope's user, if no name is known."""
Masks = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class FactRow:
    """A version of a fact as it is stored, with times in microseconds since 1970, and *words* as lexemes.

    The fact is true from *since* (inclusive) to *until* (exclusive). None means an open end. Without a *vector*, the
    similarity is 0.
    """

    version: int
    fact: uuid.UUID
    position: int
    session: str
    subject: str
    text: str
    form: Form
    confidence: float
    received: int
    occurred: int
    since: int | None
    until: int | None
    words: Sequence[str]
    vector: NDArray[np.float32] | None


@dataclass(frozen=True, slots=True)
class Facts:
    """The believed facts of a scope, one per place (index), in the order of *versions*.

    *began* has the times from which the facts are true, and *learned* the times when they were recorded. *meanings* has
    one unit vector per row, or zeros for a fact without a vector. *hashes* has the sorted hashes of all words, and the
    field *of* has the place of each hash. *ids* has the first half of each fact's id.
    """

    rows: Sequence[FactRow]
    began: Sequence[datetime]
    learned: Sequence[datetime]
    versions: NDArray[np.int64]
    ids: NDArray[np.uint64]
    occurred: NDArray[np.int64]
    since: NDArray[np.int64]
    until: NDArray[np.int64]
    lengths: NDArray[np.int64]
    statements: NDArray[np.bool_]
    meanings: NDArray[np.float32]
    hashes: NDArray[np.uint32]
    of: Places

    @classmethod
    def laid(cls, rows: Sequence[FactRow], dimensions: int) -> "Facts":
        """Return *rows*, which are in the order of their versions, as arrays."""
        counts = [len(row.words) for row in rows]
        hashes = np.array([word_hash(word) for row in rows for word in row.words], np.uint32)
        order = np.argsort(hashes, kind="stable")
        return cls(
            rows,
            [moment(row.occurred) for row in rows],
            [moment(row.received) for row in rows],
            np.array([row.version for row in rows], np.int64),
            np.array([row.fact.int >> 64 for row in rows], np.uint64),
            np.array([row.occurred for row in rows], np.int64),
            np.array([_EVER.min if row.since is None else row.since for row in rows], np.int64),
            np.array([_EVER.max if row.until is None else row.until for row in rows], np.int64),
            np.array(counts, np.int64),
            np.array([row.form == "statement" for row in rows], np.bool_),
            _units(rows, dimensions),
            hashes[order],
            np.repeat(np.arange(len(rows)), counts)[order],
        )

    def then(self, versions: Set[int], more: Sequence[FactRow]) -> "Facts":
        """Return the facts with a version number in *versions*, together with *more*, in the order of the version
        numbers.
        """
        retained = [row for row in self.rows if row.version in versions]
        every = sorted([*retained, *more], key=lambda row: row.version)
        return Facts.laid(every, self.meanings.shape[1])

    def believed_at(self, now: datetime) -> NDArray[np.bool_]:
        """Return a mask of the facts that are true at *now*."""
        at = microseconds(now)
        return (self.since <= at) & (at < self.until)

    def lapsed(self, now: datetime) -> set[int]:
        """Return the positions of the facts that have ended by *now*."""
        return {self.rows[at].position for at in np.flatnonzero(self.until <= microseconds(now)).tolist()}

    def having(self, words: Sequence[str]) -> Postings:
        """Return, for each of *words*, the places of the facts that contain the word."""
        hashed = np.array([word_hash(word) for word in words], np.uint32)
        first, last = np.searchsorted(self.hashes, hashed), np.searchsorted(self.hashes, hashed, side="right")
        at, counts = ranges(first, last)
        return Postings(self.of[at], np.concatenate([[0], counts.cumsum()]))

    @property
    def meaningless(self) -> list[uuid.UUID]:
        """The ids of facts that have no vector."""
        return [row.fact for row in self.rows if row.vector is None]

    @property
    def nbytes(self) -> int:
        """The approximate memory used, in bytes."""
        return len(self.rows) * _ROW_BYTES + self.meanings.nbytes * 2 + self.hashes.nbytes + self.of.nbytes


def meant(rows: Sequence[FactRow], vectors: Mapping[uuid.UUID, NDArray[Any]]) -> list[FactRow]:
    """Return *rows*. A row without a vector gets the vector that *vectors* has for its fact, if there is one."""
    return [
        replace(row, vector=vectors[row.fact]) if row.vector is None and row.fact in vectors else row for row in rows
    ]


def _units(rows: Sequence[FactRow], dimensions: int) -> NDArray[np.float32]:
    vectors = np.zeros((len(rows), dimensions), np.float32)
    for at, row in enumerate(rows):
        if row.vector is not None:
            vectors[at] = row.vector
    return unit_vectors(vectors)


@dataclass(frozen=True, slots=True)
class Rest:
    """Counts of episodes for word rarity: their number, their total *length*, and how many contain each word."""

    memories: int
    length: int
    found: Mapping[str, int]


class Matching:
    """The match of each fact of some scopes with a question asked at *now*.

    *words* are the question's words. *called* are the lexemes of users' names, which are synonyms of "user". Statements
    do not count for the rarity of words, because a statement repeats words of its episode.
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

        found = dict(zip(numbers, having.among(counted).counts, strict=True))
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
        """Return the places of the facts that *eligible* selects and that match: first the facts that *beside* selects,
        then the others, best match first.
        """
        places = np.flatnonzero(eligible & self._so & ((self.own > 0) | beside))
        order = np.lexsort((self._ids[places], -self.occurred[places], -self.own[places], ~beside[places]))
        best: Places = places[order]
        return best

    def let_through(self, filters: Filters) -> Masks:
        """Return masks of the facts that pass *filters*. The filters *roles* and *tiers* are ignored."""
        through = np.ones(len(self._so), np.bool_)
        if filters.kinds is not None:
            kinds = {*filters.kinds, *(("typed", "statement") if "fact" in filters.kinds else ())}
            through &= np.where(self.statements, "statement" in kinds, "typed" in kinds)
        if filters.sessions is not None:
            through &= np.array([row.session in set(filters.sessions) for row in self._rows], np.bool_)
        if filters.exclude_sessions is not None:
            through &= np.array([row.session not in set(filters.exclude_sessions) for row in self._rows], np.bool_)
        return through & within(self.occurred, filters.since, filters.until)

    def named(self, facts: Collection[uuid.UUID]) -> Masks:
        """Return a mask of the facts whose ids are in *facts*."""
        if not facts:
            return np.zeros(len(self._ids), np.bool_)
        maybe = np.isin(self._ids, np.array([fact.int >> 64 for fact in facts], np.uint64), kind="sort")
        for place, (_, row) in zip(places := np.flatnonzero(maybe), self.at(places), strict=True):
            maybe[place] = row.fact in facts
        return maybe

    def numbers(self, places: Places) -> list[tuple[int, int]]:
        """Return, for each of *places*, the number of the scope, and the number of the row in this scope."""
        of = np.searchsorted(self._begins, places, side="right") - 1
        return list(zip(of.tolist(), (places - self._begins[of]).tolist(), strict=True))

    def at(self, places: Places) -> list[tuple[int, FactRow]]:
        """Return, for each of *places*, the number of the scope, and the row."""
        return [(side, self.sides[side][1].rows[row]) for side, row in self.numbers(places)]

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
    if lexeme == USER:
        return [name for name in called if name != USER]
    return [USER] if lexeme in called else []


def _end_to_end(parts: Sequence[NDArray[Any]], kind: type[np.generic]) -> NDArray[Any]:
    return np.concatenate(parts).astype(kind, copy=False) if parts else np.zeros(0, kind)
