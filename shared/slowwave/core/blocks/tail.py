"""The tail of a scope: the positions after its last stored block, packed by the reading process."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slowwave.core.blocks.codes import Codes, encode, unit_vectors
from slowwave.core.blocks.joined_blocks import JoinedBlocks
from slowwave.core.blocks.sizes import BLOCK
from slowwave.core.blocks.words import Block, EpisodeWords, Words, pack


@dataclass(frozen=True, slots=True)
class Line:
    """An episode as it is read: *told* is its data, None if it was abandoned as a dead letter; its speaker and vector,
    if any.
    """

    told: EpisodeWords | None
    speaker: str | None
    vector: NDArray[Any] | None


@dataclass(frozen=True, slots=True)
class Piece:
    """256 positions of a tail as a block: the numbers of stored *episodes* and *vectors*, and its last position.

    *waits* is True if an episode has no vector yet. *exact* are the unit vectors.
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
        told = [(line.told, line.speaker) for _, line in every if line.told is not None]
        users = [speaker for one, speaker in told if one.role == "user" and speaker is not None]
        vectors, there = np.zeros((BLOCK, dimensions), np.float32), np.zeros(BLOCK, np.bool_)
        for position, line in every:
            if line.vector is not None and line.told is not None:
                place = position - number * BLOCK - 1
                vectors[place], there[place] = line.vector, True
        columns = pack((one for one, _ in told), number)
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
    """The pieces after position *after*, up to *last*; *state* identifies the scope's state, including abandoned
    episodes.
    """

    after: int
    last: int
    state: str
    pieces: tuple[Piece, ...]

    @property
    def stored(self) -> tuple[int, int]:
        """The numbers of episodes and of vectors that are stored in it."""
        return sum(piece.episodes for piece in self.pieces), sum(piece.vectors for piece in self.pieces)

    def still(self, head: int, stored: tuple[int, int], state: str) -> tuple[Piece, ...]:
        """Return the leading pieces that still match what is *stored*, if the scope reaches to *head*.

        A vector is stored after its episode: a piece that waits is read again once a vector has arrived.
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
    behind = JoinedBlocks(words, Codes.laid([piece.codes for piece in pieces], dimensions, exact), b"")
    return behind if stored is None else stored.then(behind)
