"""A dead letter: an episode, or a message, that could not be used, and why."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from slowwave.brief import brief
from slowwave.domain.scope import Scope

DeadLetterState = Literal["open", "retried", "dropped"]


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """An episode a pack could not read (`incorrect`), whose workers vanished (`vanished`), on which our own code broke
    (`fault`), a message that was none (`malformed`), or a claim whose meaning cannot be told for certain (`conflict`).

    *item* is the message or the claim itself, *seen* how often it came, at least; *content* is what the episode says,
    where there is one.
    """

    letter: int
    category: str
    reason: str
    state: DeadLetterState
    created: datetime
    scope: Scope | None = None
    pack: str | None = None
    episode: uuid.UUID | None = None
    key: str | None = None
    position: int | None = None
    item: Any = None
    seen: int = 1
    content: str | None = None

    def __repr__(self) -> str:
        return brief(self, self.category, self.reason, self.state, id=self.letter)


@dataclass(frozen=True, slots=True)
class Refused:
    """An item that could not be stored, why, and the *key* of the episode that it would have been."""

    item: Any
    category: str
    reason: str
    key: str | None = None
