"""Postings: which places have each of some words, and what those words add there to a keyword score."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]
Shares = NDArray[np.float64]
Adds = tuple[float, int, int]
"""A share that is added to a row of shares by a word, which goes by its number."""


@dataclass(frozen=True, slots=True)
class Postings:
    """The *places* that have each of some words, word after word; *begins* are the bounds between them."""

    places: Places
    begins: Places

    @classmethod
    def sorted_by(cls, numbers: Places, places: Places, many: int) -> "Postings":
        """Return the postings of *many* words: the word numbered *numbers* is in the place beside it."""
        order = np.argsort(numbers, kind="stable")
        return cls(places[order], np.concatenate([[0], np.bincount(numbers, minlength=many).cumsum()]))

    @classmethod
    def end_to_end(cls, parts: "Sequence[Postings]", places: Sequence[int], many: int) -> "Postings":
        """Return the postings of *parts*, whose places begin at *places*, of the same *many* words."""
        if len(parts) == 1:
            return parts[0]
        numbers = [np.repeat(np.arange(many), np.diff(one.begins)) for one in parts]
        moved = [one.places + begin for one, begin in zip(parts, places, strict=True)]
        empty = np.zeros(0, np.int64)
        return cls.sorted_by(np.concatenate([*numbers, empty]), np.concatenate([*moved, empty]), many)

    def among(self, which: NDArray[np.bool_]) -> "Postings":
        """Return the postings in those places that *which* selects."""
        kept = which[self.places]
        return Postings(self.places[kept], np.concatenate([[0], kept.cumsum()])[self.begins])

    def counted(self, which: NDArray[np.bool_]) -> list[int]:
        """Return for each word in how many of the places that *which* selects it is."""
        counts: list[int] = np.diff(self.among(which).begins).tolist()
        return counts

    @property
    def counts(self) -> list[int]:
        """The number of places that have each word."""
        counts: list[int] = np.diff(self.begins).tolist()
        return counts

    def __iter__(self) -> Iterator[Places]:
        """Give the places that have each word, in turn."""
        return map(self.__getitem__, range(len(self.begins) - 1))

    def __getitem__(self, word: int) -> Places:
        """Return the places that have a word, by its number."""
        return self.places[self.begins[word] : self.begins[word + 1]]

    def spread(self, adds: Sequence[Adds], columns: Places, shares: Shares) -> None:
        """Write into *shares*, a row a word of the question, what the words add there: the most where several do.

        *columns* gives the column of each place.
        """
        if not adds:
            return
        added, rows, words = map(np.array, zip(*sorted(adds), strict=True))  # a later one overwrites
        at, counts = ranges(self.begins[words], self.begins[words + 1])
        shares[np.repeat(rows, counts), columns[self.places[at]]] = np.repeat(added, counts)


def ranges(begins: Places, ends: Places) -> tuple[Places, Places]:
    """Return all whole numbers from each of *begins* up to its end (exclusive), end to end, and how many each gives.

    >>> [each.tolist() for each in ranges(np.array([5, 1]), np.array([7, 2]))]
    [[5, 6, 1], [2, 1]]
    """
    counts = ends - begins
    before = counts.cumsum() - counts
    return np.arange(counts.sum()) + np.repeat(begins - before, counts), counts
