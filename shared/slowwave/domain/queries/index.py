"""Entries of an index, from which a caller chooses memories before it spends tokens on their full text."""

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
"""The length of the preview of a memory."""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One memory in an index: *preview* has its first 80 characters, *tokens* is an estimate of its full size.

    *tier* is its memory tier; a memory that was never returned is on the first tier. *score* is how well the memory
    answers the question, None without a question; *strength* is the remaining strength, in [0, 1], None if it was never
    returned. *source* is the name of an external memory, None for Slowwave's own memories. An external entry has the
    external memory's *id* and *score*, and possibly no *occurred*; `entries` cannot fetch it.
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
    """The entries of an index, in order: Slowwave's own first, then those of each external memory.

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
