"""All blocks of one scope, end to end: its words, its codes in one space, and the block editions they came from."""

import hashlib
from dataclasses import dataclass

from slowwave.core.blocks.codes import Codes
from slowwave.core.blocks.words import Words


@dataclass(frozen=True, slots=True)
class JoinedBlocks:
    """The blocks of a scope as they were read. A range of positions includes its first and last."""

    words: Words
    codes: Codes
    editions: bytes

    @property
    def digest(self) -> str:
        """The digest of the editions, as the database computes it."""
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
