"""Entries of an index, from which a caller chooses memories before it reads their full text."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from slowwave.domain.episode import Role
from slowwave.domain.recollection import Explained
from slowwave.domain.scope import Scope
from slowwave.formatting import brief, many

PREVIEW_CHARACTERS = 80
"""The number of characters in the preview of a memory."""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One memory in an index. *preview* has the first 80 characters, and *tokens* is an estimate of the size of the
    full text.

    *tier* is the memory tier. A memory that was never returned is on the first tier. *score* says how well the memory
    answers the question; it is None without a question. *strength* is the remaining strength, in [0, 1], or None if the
    memory was never returned. *source* is the name of an external memory, or None for Slowwave's own memories. An
    external entry has the *id* and *score* of the external memory, and *occurred* may be None. `entries` cannot fetch
    an external entry.
    """

    id: uuid.UUID | str
    kind: Literal["fact", "episode", "external"]
    preview: str
    tokens: int
    tier: str
    occurred: datetime | None
    scope: Scope
    session: str | None = None
    role: Role | None = None
    score: float | None = None
    strength: float | None = None
    source: str | None = None

    def __repr__(self) -> str:
        return brief(self, self.source or self.kind, self.preview, many(self.tokens, "token"), self.tier, id=self.id)


class Index(list[IndexEntry]):
    """The entries of an index, in order. Slowwave's own entries come before the entries of each external memory.

    *failed* has the error of each external memory that did not answer, by name. *explained* is the explanation of the
    recall, if requested.
    """

    def __init__(
        self,
        entries: Iterable[IndexEntry] = (),
        *,
        failed: Mapping[str, str] | None = None,
        explained: Explained | None = None,
    ) -> None:
        super().__init__(entries)
        self.explained = explained
        self.failed = dict(failed or {})
