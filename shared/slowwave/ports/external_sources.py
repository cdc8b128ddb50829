"""External memory sources: other memory systems, by name, whose entries our indexes can show."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ExternalEntry:
    """An entry of another memory: its *id* there, its *text*, and when it happened, if known.

    *score* is the source's own relevance score, if any; it is not comparable between sources.
    """

    id: str
    text: str
    occurred: datetime | None = None
    score: float | None = None


class Source(Protocol):
    """Another memory, which a package provides under the entry point `slowwave.sources`."""

    def search(self, question: str, *, user: str, limit: int) -> Sequence[ExternalEntry]:
        """Return at most *limit* entries about *user* that answer *question*, best first. May raise any exception."""
