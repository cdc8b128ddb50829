"""The context of a prompt: its parts in order; and an answer in sentences with the memories that support it."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from slowwave.domain.claim import Source
from slowwave.domain.episode import Role
from slowwave.domain.recollection import ending
from slowwave.domain.scope import Scope
from slowwave.formatting import brief, many

PartType = Literal["system", "tools", "summary", "graph", "fact", "episode", "turn"]
IN_MIND: tuple[PartType, ...] = ("system", "tools", "turn")
"""The parts that come from working memory; all others are retrieved."""
MEMORY = "[Memory] "
"""The prefix of every retrieved memory, as in Reploid."""
NOT_KNOWN = "That is not known."


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a context. *content* is the memory itself; `shown` is its text in a prompt.

    *score* and *reasons* are those of a recollection. *sources* are the episodes that support the part. *id* is the id
    of the memory, or of a turn's episode. *tokens* is the size of the part's message, by the caller's counter or the
    estimate. If *until* is set, the memory was true only until then.
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
        """The text in a prompt: memories begin with `MEMORY`, past facts have their dates, and turns their speaker."""
        if self.type == "episode" and self.occurred is not None:
            return f"{MEMORY}{self.role}, {self.occurred.date().isoformat()}: {self.content}{ending(self.until)}"
        return f"{MEMORY}{self.content}" if self.type in ("summary", "fact", "episode") else self.content

    @property
    def message(self) -> dict[str, str]:
        """The part as a chat message, with the role of a turn's speaker, or `system`."""
        return {"role": self.role if self.type == "turn" else "system", "content": self.shown}

    @property
    def line(self) -> str:
        """The part as a line of `as_text`: a turn begins with its speaker."""
        return f"{self.role}: {self.content}" if self.type == "turn" else self.shown

    def __repr__(self) -> str:
        return brief(self, self.type, self.content, many(self.tokens, "token"), id=self.id)


@dataclass(frozen=True, slots=True)
class PromptContext:
    """The context of a question, of at most *max_tokens*: its *parts* in prompt order, and their token sum.

    The order is: prompt and tools, then retrieved memories (the summary first, recollections best first, the graph),
    then the turns, oldest first. *left_out* counts the recollections and turns that did not fit. *reused* is the share
    of the retrieved memories that were available before the question: in working memory, returned just before, or
    prefetched; None if nothing was retrieved.
    """

    question: str
    parts: Sequence[Part]
    tokens: int
    max_tokens: int
    left_out: int = 0
    reused: float | None = None

    @property
    def working(self) -> list[Part]:
        """The parts from working memory: prompt, tools, turns."""
        return [part for part in self.parts if part.type in IN_MIND]

    @property
    def retrieved(self) -> list[Part]:
        """The parts that were retrieved, the summary first."""
        return [part for part in self.parts if part.type not in IN_MIND]

    @property
    def summary(self) -> str | None:
        """The included part of the session's summary; None if there is no summary, or no room for one."""
        return next((part.content for part in self.parts if part.type == "summary"), None)

    def as_messages(self) -> list[dict[str, str]]:
        """Return chat messages, each with `role` and `content`, to which you can add the question.

        Memories are system messages with the prefix `[Memory] `. Tool schemas are not included: an API takes them
        separately.
        """
        return [part.message for part in self.parts if part.type != "tools"]

    def as_text(self) -> str:
        """Return the whole context as the lines of one prompt; turns begin with their speaker."""
        return "\n".join(part.line for part in self.parts)

    def __repr__(self) -> str:
        cost = f"{self.tokens} of {many(self.max_tokens, 'token')}"
        return brief(self, self.question, many(len(self.parts), "part"), cost, f"{self.left_out} left out")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer, and the *memories* that support it, which are parts of the answer's context."""

    text: str
    memories: tuple[Part, ...]

    @property
    def sources(self) -> tuple[Source, ...]:
        """The cited words of the episodes, each once."""
        return tuple(dict.fromkeys(source for part in self.memories for source in part.sources))

    def __repr__(self) -> str:
        return brief(self, self.text, many(len(self.memories), "source"))


@dataclass(frozen=True, slots=True)
class SourcedAnswer:
    """The answer of a *model* to a *question*, in *sentences* that memories support.

    *rejected* are the model's sentences that no memory supports, each with the reason.
    """

    question: str
    sentences: Sequence[Sentence]
    rejected: Sequence[str]
    model: str

    @property
    def known(self) -> bool:
        """True if a memory supports an answer."""
        return bool(self.sentences)

    @property
    def text(self) -> str:
        """The sentences joined, or a sentence saying that the answer is not known."""
        return " ".join(sentence.text for sentence in self.sentences) or NOT_KNOWN

    def __repr__(self) -> str:
        return brief(self, self.question, self.text)
