"""Episodes of one scope in a process's memory, with all data that ranking needs."""

from dataclasses import dataclass, field

from slowwave.core.blocks.codes import BLOCK
from slowwave.core.recall.candidate import Candidate

MOST_ROWS = 16_000
"""The maximum number of episodes of a scope that are kept. With more episodes, all are dropped and read again."""
_ROW_BYTES = 1_200
"""The approximate size of a row."""


@dataclass(frozen=True, slots=True)
class EpisodeRows:
    """Episodes that were read, by position, as candidates without measures."""

    rows: dict[int, Candidate] = field(default_factory=dict)

    def first(self, blocks: int) -> "EpisodeRows":
        """Return the episodes in the first *blocks* blocks."""
        return EpisodeRows({at: row for at, row in list(self.rows.items()) if at <= blocks * BLOCK})

    def limit(self) -> None:
        """Drop all episodes if there are too many."""
        if len(self.rows) > MOST_ROWS:
            self.rows.clear()

    @property
    def nbytes(self) -> int:
        """The approximate memory used, in bytes."""
        return len(self.rows) * _ROW_BYTES
