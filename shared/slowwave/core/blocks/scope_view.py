"""All blocks of one scope in sequence, the episodes after the last block (the tail), and the places (indices) that a
query may examine.
"""

import hashlib
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slowwave.core.blocks.codes import BLOCK, Codes, encode, unit_vectors
from slowwave.core.blocks.words import NOWHERE, Block, EpisodeWords, Words, pack, role_number, session_hash, within
from slowwave.domain.queries.filters import Filters

Mask = NDArray[np.bool_]
BESIDE = 2
"""The distance, in positions, over which neighbours raise a memory's match."""


@dataclass(frozen=True, slots=True)
class JoinedBlocks:
    """The blocks of a scope, as they were read."""

    words: Words
    codes: Codes
    editions: bytes

    @property
    def digest(self) -> str:
        """The digest of the *editions* (the ids of the blocks' versions), as `state.sql` computes it."""
        return hashlib.md5(self.editions, usedforsecurity=False).hexdigest()

    @property
    def last(self) -> int:
        """The number of the last block."""
        return int(self.words.blocks[-1])

    @property
    def nbytes(self) -> int:
        """The memory used, in bytes."""
        return self.words.nbytes + self.codes.nbytes

    def then(self, more: "JoinedBlocks") -> "JoinedBlocks":
        """Return these blocks followed by *more*."""
        return JoinedBlocks(self.words.then(more.words), self.codes.then(more.codes), self.editions + more.editions)


@dataclass(frozen=True, slots=True)
class Line:
    """An episode as it is read from the database. *speaker* and *vector* are None if the episode has none.

    *episode* is the data of the episode, or None if it was abandoned as a dead letter.
    """

    episode: EpisodeWords | None
    speaker: str | None
    vector: NDArray[Any] | None


@dataclass(frozen=True, slots=True)
class Piece:
    """A block made from up to 256 positions after a scope's stored blocks, with the numbers of *episodes* and *vectors*
    that the store had for these positions.

    *waits* is True if an episode has no vector yet. *exact* has the unit vectors.
    """

    block: Block
    codes: bytes
    episodes: int
    vectors: int
    waits: bool
    exact: NDArray[np.float32]

    @classmethod
    def packed(cls, number: int, lines: Iterable[tuple[int, Line]], dimensions: int) -> "Piece":
        """Return block *number* with *lines*, each with its position."""
        every = list(lines)
        episodes = [(line.episode, line.speaker) for _, line in every if line.episode is not None]
        users = [speaker for one, speaker in episodes if one.role == "user" and speaker is not None]
        vectors, there = np.zeros((BLOCK, dimensions), np.float32), np.zeros(BLOCK, np.bool_)
        for position, line in every:
            if line.vector is not None and line.episode is not None:
                place = position - number * BLOCK - 1
                vectors[place], there[place] = line.vector, True
        columns = pack((one for one, _ in episodes), number)
        stored = sum(line.vector is not None for _, line in every)
        return cls(
            Block(number, columns, (min(users, default=None), max(users, default=None))),
            encode(vectors, there),
            len(every),
            stored,
            stored < len(every),
            unit_vectors(vectors),
        )


@dataclass(frozen=True, slots=True)
class Tail:
    """The episodes of a scope after its stored blocks, from position *after* (exclusive) to position *last*, as
    *pieces*.

    *state* is a digest of the scope's creation time and expired conversations.
    """

    after: int
    last: int
    state: str
    pieces: tuple[Piece, ...]

    @property
    def stored(self) -> tuple[int, int]:
        """The numbers of episodes and of vectors in the tail."""
        return sum(piece.episodes for piece in self.pieces), sum(piece.vectors for piece in self.pieces)

    def still(self, head: int, stored: tuple[int, int], state: str) -> tuple[Piece, ...]:
        """Return the leading pieces that are still valid for a scope with the newest position *head*.

        *stored* are the current numbers of episodes and vectors after the stored blocks. A vector is stored later than
        its episode. Therefore a piece without all its vectors must be read again after a vector has arrived.
        """
        if (self.state, self.stored[0]) != (state, stored[0]):
            return ()
        pieces = self.pieces
        if self.stored[1] != stored[1]:
            pieces = pieces[: next((number for number, piece in enumerate(pieces) if piece.waits), 0)]
        return pieces if head == self.last else pieces[: (self.last - self.after) // BLOCK]


def joined_with(stored: JoinedBlocks | None, pieces: Sequence[Piece], dimensions: int) -> JoinedBlocks | None:
    """Return the *stored* blocks of a scope followed by *pieces*; None if there are neither."""
    if not pieces:
        return stored
    words = Words.laid([piece.block for piece in pieces])
    exact = np.concatenate([piece.exact for piece in pieces])
    tail = JoinedBlocks(words, Codes.laid([piece.codes for piece in pieces], dimensions, exact), b"")
    return tail if stored is None else stored.then(tail)


@dataclass(frozen=True, slots=True)
class ScopeView:
    """A scope's blocks, with masks of places: *visible* places are stored and not archived.

    *eligible* places are visible and pass the filters. *near* has places with a known similarity to the question.
    *also* has places that must be examined.
    """

    scope: uuid.UUID
    laid: JoinedBlocks
    visible: Mask
    eligible: Mask
    near: Sequence[tuple[int, float]]
    also: NDArray[np.int64]


def scope_view(
    scope: uuid.UUID,
    joined: JoinedBlocks,
    *,
    put_away: Iterable[tuple[str, float]],
    filters: Filters,
    near: Mapping[int, float],
    also: Sequence[int] = (),
) -> ScopeView:
    """Return the view of a scope. *put_away* has, by session, the time up to which episodes are archived, in seconds
    since 1970.

    *near* has the known similarities of positions to the question. *also* has the positions that must be examined.
    """
    columns = joined.words.columns
    visible = columns["received"] != NOWHERE
    for session, until in put_away:
        gone = columns["sessions"] == session_hash(session)
        visible &= ~(gone & (columns["received"] <= round(until * 1e6)))
    known = joined.words.places(list(near))
    similar = [(int(at), value) for at, value in zip(known, near.values(), strict=True) if at >= 0]
    places = joined.words.places(also)
    return ScopeView(scope, joined, visible, visible & _let_through(joined, filters), similar, places[places >= 0])


def _let_through(joined: JoinedBlocks, filters: Filters) -> Mask:
    columns = joined.words.columns
    through = np.ones(len(columns["received"]), np.bool_)
    if filters.kinds is not None and "episode" not in filters.kinds:
        through[:] = False
    if filters.roles is not None:
        through &= np.isin(columns["roles"], [role_number(role) for role in filters.roles])
    if filters.sessions is not None:
        through &= np.isin(columns["sessions"], _hashes(filters.sessions), kind="sort")
    if filters.exclude_sessions is not None:
        through &= ~np.isin(columns["sessions"], _hashes(filters.exclude_sessions), kind="sort")
    return through & within(columns["occurred"], filters.since, filters.until)


def _hashes(sessions: Iterable[str]) -> NDArray[np.uint64]:
    return np.array([session_hash(session) for session in sessions], np.uint64)
