"""Episodes as results of queries, and filters for them."""

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from slowwave.domain.episode import EpisodeKind, Role
from slowwave.domain.queries.filters import in_order
from slowwave.domain.scope import Scope
from slowwave.formatting import brief


@dataclass(frozen=True, slots=True)
class RememberedEpisode:
    """An episode word for word, as it was pushed.

    *key* is the agent's own name for the episode, and *position* is the number of the episode in its *scope*.
    *occurred* is the time of the episode by the speaker's own clock. *received* is the time of storage, in UTC.
    *speaker* is the speaker's name, if the agent gave a name.
    """

    id: uuid.UUID
    key: str
    scope: Scope
    position: int
    session: str
    role: Role
    kind: EpisodeKind
    content: str
    occurred: datetime
    received: datetime
    speaker: str | None
    metadata: Mapping[str, Any]

    def __repr__(self) -> str:
        return brief(self, f"{self.role}: {self.content}", f"session {self.session}", id=self.id)


@dataclass(frozen=True, slots=True)
class EpisodeFilters:
    """A filter of episodes. A field that is None excludes nothing.

    Matching episodes occurred from *since* (inclusive) to *until* (exclusive). *tools* and *success* select tool calls.
    Episodes of archived conversations match only with *archived*; expired episodes never match.
    """

    kinds: Collection[EpisodeKind] | None = None
    roles: Collection[Role] | None = None
    sessions: Collection[str] | None = None
    since: datetime | None = None
    until: datetime | None = None
    tools: Collection[str] | None = None
    success: bool | None = None
    archived: bool = False

    def __post_init__(self) -> None:
        in_order(self.since, self.until)
