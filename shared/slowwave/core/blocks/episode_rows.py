"""Episodes of one scope in a process's memory, with all data that ranking needs."""

import uuid
from dataclasses import dataclass, field
from datetime import datetime

from slowwave.core.blocks.codes import BLOCK
from slowwave.domain.claim import Source
from slowwave.domain.episode import Role

MOST_ROWS = 16_000
"""The most episodes of a scope that are kept. If there are more, all episodes are dropped and read again."""
_ROW_BYTES = 1_100
"""The approximate size of a row."""


@dataclass(slots=True)
class EpisodeRow:
    """An episode as it is stored.

    No code changes the object. The class is not frozen, because a frozen object takes longer to make. *ending* is the
    end of the text. *gist* is equal for episodes with the same words. *asks* is True if the episode is only a question.
    """

    id: uuid.UUID
    session: str
    occurred: datetime
    received: datetime
    speaker: str | None
    role: Role
    sources: tuple[Source, ...]
    ending: str
    gist: str
    asks: bool


@dataclass(frozen=True, slots=True)
class EpisodeRows:
    """Episodes that were read, by block and position."""

    blocks: dict[int, dict[int, EpisodeRow]] = field(default_factory=dict)

    def get(self, position: int) -> EpisodeRow | None:
        """Return the episode at *position*, or None if it was not read."""
        block = self.blocks.get((position - 1) // BLOCK)
        return None if block is None else block.get(position)

    def add(self, position: int, row: EpisodeRow) -> None:
        """Keep the episode at *position*."""
        self.blocks.setdefault((position - 1) // BLOCK, {})[position] = row

    def first(self, blocks: int) -> "EpisodeRows":
        """Return the episodes in the first *blocks* blocks."""
        return EpisodeRows({number: rows for number, rows in list(self.blocks.items()) if number < blocks})

    def limit(self) -> None:
        """Drop all episodes if there are too many."""
        if len(self) > MOST_ROWS:
            self.blocks.clear()

    def __len__(self) -> int:
        return sum(map(len, list(self.blocks.values())))

    @property
    def nbytes(self) -> int:
        """The approximate memory used, in bytes."""
        return len(self) * _ROW_BYTES
