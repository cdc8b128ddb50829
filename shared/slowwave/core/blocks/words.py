"""The words and positions of 256 episodes as bytes, and postings, which list the places that have each word."""

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slowwave.core.blocks.codes import BLOCK

Places = NDArray[np.int64]
Shares = NDArray[np.float64]
Adds = tuple[float, int, int]
"""The number of a row of shares, the word's number, and the share that the word adds to the row."""
NOWHERE = np.iinfo(np.int64).min
"""The time of receipt of a position without an episode: never stored, expired, or abandoned."""
ROLES = ("user", "assistant", "system", "tool")
COLUMNS = ("received", "occurred", "sessions", "roles", "lengths", "words", "starts", "docs")
TYPES = dict(zip(COLUMNS, ("<i8", "<i8", "<u8", "u1", "<u4", "<u4", "<u4", "u1"), strict=True))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Postings:
    """The *places* that have each of some words. The places of word n are `places[begins[n] : begins[n + 1]]`."""

    places: Places
    begins: Places

    @classmethod
    def sorted_by(cls, numbers: Places, places: Places, many: int) -> "Postings":
        """Return the postings of *many* words, numbered from 0; word `numbers[i]` occurs at place `places[i]`."""
        order = np.argsort(numbers, kind="stable")
        return cls(places[order], np.concatenate([[0], np.bincount(numbers, minlength=many).cumsum()]))

    @classmethod
    def end_to_end(cls, parts: "Sequence[Postings]", places: Sequence[int], many: int) -> "Postings":
        """Return the postings of all *parts* together. Each part has the same number of words, *many*. *places* has the
        first place of each part.
        """
        if len(parts) == 1:
            return parts[0]
        numbers = [np.repeat(np.arange(many), np.diff(one.begins)) for one in parts]
        moved = [one.places + begin for one, begin in zip(parts, places, strict=True)]
        empty = np.zeros(0, np.int64)
        return cls.sorted_by(np.concatenate([*numbers, empty]), np.concatenate([*moved, empty]), many)

    def among(self, which: NDArray[np.bool_]) -> "Postings":
        """Return these postings, with only the places that the mask *which* selects."""
        selected = which[self.places]
        return Postings(self.places[selected], np.concatenate([[0], selected.cumsum()])[self.begins])

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
        """Write *adds*, contributions to the keyword score, into *shares*, which has one row per question word.

        If several contributions go to the same entry, the largest counts. *columns* gives the column of each place.
        """
        if not adds:
            return
        added, rows, words = map(
            np.array, zip(*sorted(adds), strict=True)
        )  # a later contribution overwrites an earlier one
        at, counts = ranges(self.begins[words], self.begins[words + 1])
        shares[np.repeat(rows, counts), columns[self.places[at]]] = np.repeat(added, counts)


def ranges(begins: Places, ends: Places) -> tuple[Places, Places]:
    """Return the integers of all ranges from *begins* (inclusive) to *ends* (exclusive), and the ranges' lengths.

    >>> [each.tolist() for each in ranges(np.array([5, 1]), np.array([7, 2]))]
    [[5, 6, 1], [2, 1]]
    """
    counts = ends - begins
    before = counts.cumsum() - counts
    return np.arange(counts.sum()) + np.repeat(begins - before, counts), counts


@dataclass(frozen=True, slots=True)
class EpisodeWords:
    """An episode's data for a block. *words* are its lexemes; *received* and *occurred* are in seconds since 1970."""

    position: int
    received: float
    occurred: float
    session: str
    role: str
    words: Sequence[str]


def pack(episodes: Iterable[EpisodeWords], block: int) -> dict[str, bytes]:
    """Return the columns, by name, of the block that contains *episodes*."""
    columns = {name: np.zeros(BLOCK, TYPES[name]) for name in COLUMNS[:5]}
    columns["received"][:] = NOWHERE
    hashes: list[int] = []
    docs: list[int] = []
    for one in episodes:
        place = one.position - block * BLOCK - 1
        columns["received"][place] = round(one.received * 1e6)
        columns["occurred"][place] = round(one.occurred * 1e6)
        columns["sessions"][place] = session_hash(one.session)
        columns["roles"][place] = role_number(one.role)
        columns["lengths"][place] = len(one.words)
        hashes.extend(map(word_hash, one.words))
        docs.extend([place] * len(one.words))

    every = np.array(hashes, TYPES["words"])
    order = np.argsort(every, kind="stable")
    every = every[order]
    first = np.flatnonzero(np.append(True, every[1:] != every[:-1])[: len(every)])
    columns["words"] = every[first]
    columns["starts"] = np.append(first, len(every)).astype(TYPES["starts"])
    columns["docs"] = np.array(docs, TYPES["docs"])[order]
    return {name: column.tobytes() for name, column in columns.items()}


@dataclass(frozen=True, slots=True)
class Block:
    """A stored block: its columns as bytes by name, and the least and the greatest name of a user-role speaker."""

    block: int
    columns: dict[str, bytes]
    users: tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class Words:
    """The words of many blocks of one scope in sequence. A place is the index of a position in this sequence.

    *users* has, for each block, the least and the greatest name of a user-role speaker. For each block, *ends* has the
    end of its words in the column `words`, and *base* the start of its entries in the column `docs`.
    """

    blocks: NDArray[np.int64]
    users: Set[str]
    columns: Mapping[str, NDArray[Any]]
    ends: NDArray[np.int64]
    base: NDArray[np.int64]

    @classmethod
    def laid(cls, blocks: Sequence[Block]) -> "Words":
        """Return the joined *blocks*, which must be in order."""
        parts = {name: [np.frombuffer(block.columns[name], TYPES[name]) for block in blocks] for name in COLUMNS}
        return cls(
            np.array([block.block for block in blocks], np.int64),
            {name for block in blocks for name in block.users if name is not None},
            {name: np.concatenate(columns) for name, columns in parts.items()},
            np.cumsum([len(words) for words in parts["words"]]),
            np.cumsum([0, *(len(docs) for docs in parts["docs"])])[:-1],
        )

    def then(self, more: "Words") -> "Words":
        """Return these words followed by *more*."""
        return Words(
            np.concatenate([self.blocks, more.blocks]),
            self.users | more.users,
            {name: np.concatenate([self.columns[name], more.columns[name]]) for name in COLUMNS},
            np.concatenate([self.ends, more.ends + len(self.columns["words"])]),
            np.concatenate([self.base, more.base + len(self.columns["docs"])]),
        )

    def positions(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the position of each of *places*."""
        positions: NDArray[np.int64] = self.blocks[places // BLOCK] * BLOCK + places % BLOCK + 1
        return positions

    def places(self, positions: Sequence[int]) -> NDArray[np.int64]:
        """Return the place of each of *positions*, in order; -1 for a position that no block contains."""
        before = np.array(positions, np.int64) - 1
        at = np.minimum(np.searchsorted(self.blocks, before // BLOCK), len(self.blocks) - 1)
        found = self.blocks[at] == before // BLOCK
        return np.where(found, at * BLOCK + before % BLOCK, -1)

    @property
    def nbytes(self) -> int:
        """The memory used, in bytes."""
        return sum(column.nbytes for column in self.columns.values())

    def having(self, words: Sequence[str]) -> Postings:
        """Return, for each of *words*, the places of the episodes that contain the word. The words must be distinct."""
        wanted = np.array([word_hash(word) for word in words], np.uint32)
        maybe = np.zeros(1 << 16, np.bool_)
        maybe[wanted & 0xFFFF] = True  # one pass over the hashes, however many words
        every = self.columns["words"]
        found = np.flatnonzero(maybe[every & 0xFFFF])
        order = np.argsort(wanted, kind="stable")
        nearest = np.searchsorted(wanted[order], every[found]).clip(max=len(wanted) - 1)
        same = wanted[order[nearest]] == every[found]
        found, numbers = found[same], order[nearest[same]]
        by_word = np.argsort(numbers, kind="stable")  # before the places are listed: there are many more places
        found, numbers = found[by_word], numbers[by_word]
        block = np.searchsorted(self.ends, found, side="right")
        starts, base = self.columns["starts"], self.base[block]
        at, many = ranges(starts[found + block] + base, starts[found + block + 1] + base)
        places = self.columns["docs"][at] + BLOCK * np.repeat(block, many)
        ends = np.concatenate([[0], many.cumsum()])
        return Postings(places, ends[np.searchsorted(numbers, np.arange(len(wanted) + 1))])


@lru_cache(2**15)
def word_hash(word: str) -> int:
    """Return the hash that stands for a word. At 100 000 episodes, one question in 10 000 has a collision."""
    return zlib.crc32(word.encode())


@lru_cache(4096)
def session_hash(session: str) -> int:
    """Return the hash that stands for a session. Collisions inside a scope are negligible."""
    return int.from_bytes(hashlib.blake2b(session.encode(), digest_size=8).digest(), "little")


def role_number(role: str) -> int:
    """Return the number that stands for a role; 255 for a role that no query uses."""
    return ROLES.index(role) if role in ROLES else 255


def microseconds(at: datetime) -> int:
    """Return *at* in microseconds since 1970."""
    return (at - _EPOCH) // timedelta(microseconds=1)


def within(occurred: NDArray[np.int64], since: datetime | None, until: datetime | None) -> NDArray[np.bool_]:
    """Return a mask of the times from *since* (inclusive) to *until* (exclusive). None means an open end."""
    first = NOWHERE if since is None else microseconds(since)
    return (occurred >= first) & (True if until is None else occurred < microseconds(until))


def moment(since_epoch: int) -> datetime:
    """Return the time of *since_epoch* microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=since_epoch)
