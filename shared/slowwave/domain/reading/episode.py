"""Episodes as they are read back, and which of them are asked for."""

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from slowwave.brief import brief
from slowwave.domain.episode import EpisodeKind, Role
from slowwave.domain.reading.filters import in_order
from slowwave.domain.scope import Scope


@dataclass(frozen=True, slots=True)
class RememberedEpisode:
    """An episode as it was told, word for word.

    *key* is the agent's own name for it, *position* its place in its *scope*. It *occurred* by the speaker's own clock,
    and was *received* when it was stored, in UTC. *speaker* is who spoke, where the agent said so by name.
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
    """The episodes that are asked for; a filter that is None leaves none out.

    From *since* up to *until*, itself left out, they occurred. *tools* and *success* are of calls of tools. Of what is
    put away nothing is told unless *archived*; what has expired is told nowhere.
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
