"""Entries of an index: the data to choose memories by, before spending tokens on them."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from slowwave.domain.episode import Role
from slowwave.domain.recall_explanation.explanation import Explained
from slowwave.domain.scope import Scope
from slowwave.formatting.summary_lines import brief, many

PREVIEW_CHARACTERS = 80
"""The length of the preview of a memory."""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One memory in an index: *preview* is its first 80 characters, *tokens* an estimate of its full size.

    *tier* is its memory tier; a memory that was never returned is on the first tier. *score* is how well it answers,
    None without a question; *strength* is the remaining strength, in [0, 1], None if it was never returned. *source*
    names the external memory it comes from, None for this one: *id* and *score* are then that memory's, *occurred* may
    be unknown, and `entries` cannot fetch it.
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
    """The entries of an index, in order: this memory's first, then those of each external memory.

    *failed* gives, by name, the error of each external memory that did not answer. *explained* is the explanation of
    the recall, if requested.
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
