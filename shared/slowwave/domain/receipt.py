"""What an agent is told about an episode it pushed, and what an outbox keeps of one."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from slowwave.domain.scope import Scope
from slowwave.errors import SlowwaveError


@dataclass(frozen=True, slots=True)
class Receipt:
    """`stored`: committed in Postgres, never to be lost. `queued`: the broker has it. `spooled`: this host's outbox
    has it. `refused`: nothing has it, and *error* says why. *repeated* means that it was known already.
    """

    id: uuid.UUID | None
    key: str
    state: Literal["stored", "queued", "spooled", "refused"]
    position: int | None = None
    repeated: bool = False
    error: SlowwaveError | None = None


Kept = Literal["new", "known", "conflict"]
"""What an outbox says of an episode: kept now, there already, or its key is taken by another content."""


@dataclass(frozen=True, slots=True)
class Spooled:
    """An entry of an outbox: the episode as a message, and the *reason* if it was refused."""

    number: int
    scope: Scope
    episode: Mapping[str, Any]
    reason: str | None = None
