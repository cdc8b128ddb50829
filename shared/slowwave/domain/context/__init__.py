"""The context of a prompt: its parts in order, each with reasons, sources and cost."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from slowwave.brief import brief, many
from slowwave.domain.claim import Source
from slowwave.domain.episode import Role
from slowwave.domain.recollection import ending
from slowwave.domain.scope import Scope

PartType = Literal["system", "tools", "summary", "graph", "fact", "episode", "turn"]
IN_MIND: tuple[PartType, ...] = ("system", "tools", "turn")
"""What stands in working memory; all else is retrieved."""
MEMORY = "[Memory] "
"""Stands before everything that is remembered, as Reploid has it."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a context. *content* is the memory by itself, `shown` what a prompt says of it.

    *score* and *reasons* are those of a recollection, *sources* the episodes behind a part; *id* is that of the memory,
    of a turn that of its episode. *tokens* is what its message takes, by whoever counted. What it tells was so *until*
    then, and holds no longer.
    """

    type: PartType
    content: str
    role: Role = "system"
    tokens: int = 0
    score: float | None = None
    reasons: Mapping[str, float] = field(default_factory=dict)
    sources: Sequence[Source] = ()
    id: uuid.UUID | None = None
    scope: Scope | None = None
    session: str | None = None
    occurred: datetime | None = None
    until: datetime | None = None

    @property
    def shown(self) -> str:
        """The words of its message: memories marked as such, what was said with by whom, when and until when."""
        if self.type == "episode" and self.occurred is not None:
            return f"{MEMORY}{self.role}, {self.occurred.date().isoformat()}: {self.content}{ending(self.until)}"
        return f"{MEMORY}{self.content}" if self.type in ("summary", "fact", "episode") else self.content

    @property
    def message(self) -> dict[str, str]:
        """The message of a chat that says it: a turn by who said it, all else by the system."""
        return {"role": self.role if self.type == "turn" else "system", "content": self.shown}

    @property
    def line(self) -> str:
        """The same as a part of one text: a turn begins with who spoke."""
        return f"{self.role}: {self.content}" if self.type == "turn" else self.shown

    def __repr__(self) -> str:
        return brief(self, self.type, self.content, many(self.tokens, "token"), id=self.id)


@dataclass(frozen=True, slots=True)
class PromptContext:
    """The context of a question, never more than *max_tokens*: the *parts* in the order of the prompt, and their sum.

    Prompt and tools, then what is remembered (the summary first, recollections best first, the graph), then the turns,
    oldest first. *left_out* counts the recollections and turns for which there was no room. *reused* is the share of
    what the question brought to mind that was at hand before it was asked: in mind, told just before, or anticipated;
    None where it brought nothing.
    """

    question: str
    parts: Sequence[Part]
    tokens: int
    max_tokens: int
    left_out: int = 0
    reused: float | None = None

    @property
    def working(self) -> list[Part]:
        """The parts that are in mind: prompt, tools, turns."""
        return [part for part in self.parts if part.type in IN_MIND]

    @property
    def retrieved(self) -> list[Part]:
        """The parts that are remembered, the summary first."""
        return [part for part in self.parts if part.type not in IN_MIND]

    @property
    def summary(self) -> str | None:
        """The summary of the session as far as it is told here; None where there is none, or no room."""
        return next((part.content for part in self.parts if part.type == "summary"), None)

    def as_messages(self) -> list[dict[str, str]]:
        """Return messages of a chat, each with `role` and `content`, to which the question may be added.

        Memories are messages of the system, marked `[Memory] `. Schemas of tools are none: they go beside a chat.
        """
        return [part.message for part in self.parts if part.type != "tools"]

    def as_text(self) -> str:
        """Return all of it as lines of one prompt; turns begin with who spoke."""
        return "\n".join(part.line for part in self.parts)

    def __repr__(self) -> str:
        cost = f"{self.tokens} of {many(self.max_tokens, 'token')}"
        return brief(self, self.question, many(len(self.parts), "part"), cost, f"{self.left_out} left out")
