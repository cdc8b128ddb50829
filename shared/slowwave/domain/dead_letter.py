"""A dead letter: an episode or message that could not be processed, and the reason."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from slowwave.domain.claim import Mode
from slowwave.domain.fact import in_words
from slowwave.domain.scope import Scope
from slowwave.formatting import brief
from slowwave.former_names import warn_of_former

DeadLetterState = Literal["open", "retried", "dropped", "decided"]
EXCERPT = frozenset({"queue", "bytes", "begins"})
"""What Slowwave stores of a message that was not a task: its queue, its size, and its first bytes."""
Verdict = Literal["accept", "reject", "edit"]
"""A reviewer's decision: to believe the claim, to keep the current beliefs, or to believe another object."""


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A dead letter, of one of five categories.

    `incorrect`: a pack could not read the episode. `vanished`: workers crashed or were killed while they read the
    episode. `fault`: code of Slowwave failed on the episode. `malformed`: a message was not a task. `conflict`: a claim
    is ambiguous. *item* is the message or claim. The item arrived at least *seen* times. *content* is the content of
    the episode, if there is an episode.
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
    """A claim that waits for a person, because Slowwave could not decide it with certainty.

    *among* are the facts that the claim could replace. An assertion replaces all these facts; a correction or an end
    (see *mode*) replaces one of these facts. *beliefs* are the texts of the facts, in the same order. *content* is the
    episode's content. *valid_from* is the start of the claim's valid time.
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
    beliefs: tuple[str, ...]
    episode: uuid.UUID
    content: str
    created: datetime

    @property
    def claims(self) -> str:
        """The claim in words. For a claim with the predicate `*`, it is only the object."""
        if self.predicate == "*":
            return self.object
        return self.text or in_words(self.subject, self.predicate, self.object)

    @property
    def said(self) -> str:
        """The former name of `content`."""
        warn_of_former("said", "content")
        return self.content

    def __repr__(self) -> str:
        return brief(self, self.claims, self.reason, id=self.number)


@dataclass(frozen=True, slots=True)
class Refused:
    """An item that could not be stored, with the reason, and with the *key* that its episode would have had."""

    item: Any
    category: str
    reason: str
    key: str | None = None
