"""The facts of one scope as a process keeps them: their words, times and vectors laid side by side."""

import uuid
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slowwave.core.blocks.words import microseconds, word_hash
from slowwave.domain.claim import Form

Places = NDArray[np.int64]

_EVER = np.iinfo(np.int64)
_ROW_BYTES = 1_000
"""About what the words of a row take, with its times and names."""


@dataclass(frozen=True, slots=True)
class FactRow:
    """A version of a fact, as it is stored: its times in microseconds since 1970, its *words* as lexemes.

    It is so from *since* up to *until*, None where that is open. Without a *vector* it means nothing.
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
    """The facts that a scope believes, each version at a place of its own, in the order of *versions*.

    *meanings* are their unit vectors, a row each, of zeros where there is none; *hashes* are those of every word, in
    order, and *of* the places they stand at; *ids* are the first halves of those of the facts.
    """

    rows: Sequence[FactRow]
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
        """Return *rows*, which are in the order of their versions, side by side."""
        counts = [len(row.words) for row in rows]
        hashes = np.array([word_hash(word) for row in rows for word in row.words], np.uint32)
        order = np.argsort(hashes, kind="stable")
        return cls(
            rows,
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
        """Return those of these facts that have one of *versions*, and *more*."""
        kept = [row for row in self.rows if row.version in versions]
        every = sorted([*kept, *more], key=lambda row: row.version)
        return Facts.laid(every, self.meanings.shape[1])

    def believed_at(self, now: datetime) -> NDArray[np.bool_]:
        """Return which of them are so at *now*."""
        at = microseconds(now)
        return (self.since <= at) & (at < self.until)

    def having(self, word: str) -> Places:
        """Return the places of those that say *word*, in no order."""
        hashed = np.uint32(word_hash(word))
        first, last = np.searchsorted(self.hashes, hashed), np.searchsorted(self.hashes, hashed, side="right")
        return self.of[first:last]

    @property
    def meaningless(self) -> list[uuid.UUID]:
        """The facts that have no vector."""
        return [row.fact for row in self.rows if row.vector is None]

    @property
    def nbytes(self) -> int:
        """The memory they take, in bytes, about."""
        return len(self.rows) * _ROW_BYTES + self.meanings.nbytes * 2 + self.hashes.nbytes + self.of.nbytes


def meant(rows: Sequence[FactRow], vectors: Mapping[uuid.UUID, NDArray[Any]]) -> list[FactRow]:
    """Return *rows*, of which those without a vector have theirs of *vectors*, where it is there by now."""
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
