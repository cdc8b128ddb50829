"""Entries of an index: what is needed to choose which memories are worth their tokens."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from slowwave.brief import brief, many
from slowwave.domain.episode import Role
from slowwave.domain.explained.recall import Explained
from slowwave.domain.scope import Scope

PREVIEW_CHARACTERS = 80
"""The beginning of a memory that is shown of it before it is chosen."""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One memory in an index: the *preview* is its first 80 characters, *tokens* an estimate of what all of it takes.

    *tier* is where it stands on the ladder; what was never returned stands where memories begin. *score* is how well it
    answers, None where nothing was asked; *strength* how much of it is left, in [0, 1], None if it was never returned.
    *source* names the other memory it stands in, None for this one: *id* and *score* are that memory's, *occurred* may
    be unknown, and `entries` does not know it.
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
    """The entries of an index, in order: of this memory first, then of each other one that was asked.

    *failed* names the other memories that did not answer, and says why. *explained* says how a question came to the
    entries, where that was asked.
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
