"""The facts of one scope in a process's memory: their words, times and vectors as arrays."""

import uuid
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slowwave.core.blocks.postings import Places, Postings, ranges
from slowwave.core.blocks.words import microseconds, moment, word_hash
from slowwave.domain.claim import Form

_EVER = np.iinfo(np.int64)
_ROW_BYTES = 1_000
"""The approximate size of a row's words, times and names."""


@dataclass(frozen=True, slots=True)
class FactRow:
    """A version of a fact, as it is stored: its times in microseconds since 1970, its *words* as lexemes.

    It is true from *since* (inclusive) to *until* (exclusive); None is open. Without a *vector* it has similarity 0.
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
    """The believed facts of a scope, each version at its own place, in the order of *versions*.

    *began* are the times from which they are true, *learned* the times at which they were recorded. *meanings* has a
    unit vector per row, zeros for a fact without one. *hashes* are the hashes of all words, in order, and *of* their
    places. *ids* are the first halves of the facts' ids.
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
        """Return the facts that have one of *versions*, followed by *more*."""
        kept = [row for row in self.rows if row.version in versions]
        every = sorted([*kept, *more], key=lambda row: row.version)
        return Facts.laid(every, self.meanings.shape[1])

    def believed_at(self, now: datetime) -> NDArray[np.bool_]:
        """Return which of them are true at *now*."""
        at = microseconds(now)
        return (self.since <= at) & (at < self.until)

    def lapsed(self, now: datetime) -> set[int]:
        """Return the positions of those that have ended by *now*."""
        return {self.rows[at].position for at in np.flatnonzero(self.until <= microseconds(now)).tolist()}

    def having(self, words: Sequence[str]) -> Postings:
        """Return the places that contain each of *words*."""
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
    """Return *rows*, with vectors from *vectors* for those that lack one."""
    return [
        replace(row, vector=vectors[row.fact]) if row.vector is None and row.fact in vectors else row for row in rows
    ]


def _units(rows: Sequence[FactRow], dimensions: int) -> NDArray[np.float32]:
    vectors = np.zeros((len(rows), dimensions), np.float32)
    for at, row in enumerate(rows):
        if row.vector is not None:
            vectors[at] = row.vector
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    np.divide(vectors, lengths, out=vectors, where=lengths > 0)
    return vectors
