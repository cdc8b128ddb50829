"""A dead letter: an episode, or a message, that could not be used, and why."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from slowwave.brief import brief
from slowwave.domain.claim import Mode
from slowwave.domain.fact import in_words
from slowwave.domain.scope import Scope

DeadLetterState = Literal["open", "retried", "dropped", "decided"]
EXCERPT = frozenset({"queue", "bytes", "begins"})
"""What is kept of a message that was no task at all: the queue it lay in, its size, and how it begins."""
Verdict = Literal["accept", "reject", "edit"]
"""A person's word about a review: believe it, leave what is held, or believe another object."""


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
class Review:
    """A claim that nobody could decide for certain, and that waits for a person.

    *among* are the facts that would give way: all of them to an assertion, one to what corrects or ends (*mode*).
    *said* is what the episode says. *valid_from* is since when it would be so.
    """

    number: int
    reason: str
    scope: Scope
    subject: str
    predicate: str
    object: str
    mode: Mode
    confidence: float
    valid_from: datetime
    single_valued: bool
    text: str
    among: tuple[uuid.UUID, ...]
    episode: uuid.UUID
    said: str
    created: datetime

    @property
    def claims(self) -> str:
        """The claim in words; of a correction that names no predicate, what is right."""
        if self.predicate == "*":
            return self.object
        return self.text or in_words(self.subject, self.predicate, self.object)

    def __repr__(self) -> str:
        return brief(self, self.claims, self.reason, id=self.number)


@dataclass(frozen=True, slots=True)
class Refused:
    """An item that could not be stored, why, and the *key* of the episode that it would have been."""

    item: Any
    category: str
    reason: str
    key: str | None = None
