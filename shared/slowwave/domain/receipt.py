"""What an agent is told about an episode it pushed."""

import uuid
from dataclasses import dataclass
from typing import Literal

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
