"""Sources beside this memory: other memories that an index of ours may show, by their own names."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Foreign:
    """An entry of another memory: its *id* there, its *text*, and when it happened, where that is known.

    *score* says how well it answers, if the source says so; it compares with no other's.
    """

    id: str
    text: str
    occurred: datetime | None = None
    score: float | None = None


class Source(Protocol):
    """Another memory, which a package brings under the entry point `slowwave.sources`."""

    def search(self, question: str, *, user: str, limit: int) -> Sequence[Foreign]:
        """Return at most *limit* entries about *user* that answer *question*, best first. May raise anything."""
