"""Working memory: the turns and the notes of one conversation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from slowwave.domain.episode import Episode
from slowwave.domain.job_table import SUMMARISE
from slowwave.domain.limits import name_problems
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.formatting import brief, many

Part = Literal["turns", "thoughts", "goal"]
PARTS: tuple[Part, ...] = ("turns", "thoughts", "goal")
"""The lists of a conversation in the cache. The goal is a list of length 1."""
PRESSURE = f"{SUMMARISE}/token_pressure"
"""The kind of schedule that fires when turns leave working memory. The windows of the schedule are named
`<position>/<turns that leave>`."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation of a scope. *session* is the session that the conversation's episodes name."""

    scope: Scope
    session: str

    def __post_init__(self) -> None:
        problems = [f"conversation: {problem}" for problem in name_problems(self.session)]
        if problems:
            raise Incorrect.listing("working memory", problems, hint="name the conversation in plain text")

    def __repr__(self) -> str:
        return brief(self, self.session, self.scope.user)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a list in the cache, and the time when it was appended, by the cache's clock."""

    id: str
    at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a conversation. *tokens* is an estimate. A turn that is still in an outbox has no *position*."""

    id: str
    episode: Episode
    tokens: int
    position: int | None = None

    @property
    def role(self) -> str:
        """The speaker's role: user, assistant, system or tool."""
        return self.episode.role

    @property
    def content(self) -> str:
        """The text of the turn."""
        return self.episode.content

    def __repr__(self) -> str:
        return brief(self, f"{self.role}: {self.content}", many(self.tokens, "token"), id=self.id)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a working memory: turns, tokens, and the seconds from the last turn to its expiry."""

    tokens: int = 8_000
    turns: int = 50
    seconds: float = 3_600.0


@dataclass(frozen=True, slots=True)
class ActiveGoal:
    """The current goal of a conversation."""

    goal_id: str
    description: str

    def __repr__(self) -> str:
        return brief(self, self.description, id=self.goal_id)


@dataclass(frozen=True, slots=True)
class Context:
    """The contents of working memory: the turns and thoughts (oldest first), the goal, and the values that were set.

    The values may be a system prompt, tool schemas and retrieved memories, under any names. *tokens* is an estimate of
    the size of all contents. The limits apply only to the turns.
    """

    turns: Sequence[Turn]
    thoughts: Sequence[str]
    goal: ActiveGoal | None
    values: Mapping[str, Any]
    tokens: int

    def __repr__(self) -> str:
        counts = (many(len(self.turns), "turn"), many(len(self.thoughts), "thought"), many(len(self.values), "value"))
        return brief(self, *counts, self.goal and self.goal.description, many(self.tokens, "token"))
