"""The context of a prompt, as parts in order, and an answer in sentences that memories support."""

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
"""The kinds of parts that come from working memory. All other parts are retrieved."""
MEMORY = "[Memory] "
"""The prefix of every retrieved memory, as in Reploid."""
NOT_KNOWN = "That is not known."


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a context. *content* is the memory itself, and `shown` is the text of the memory in a prompt.

    *score* and *reasons* are the score and reasons of a recollection. *sources* are the episodes that support the part.
    *id* is the id of the memory, or of a turn's episode. *tokens* is the size of the part's message, counted by the
    caller's counter or estimated. If *until* is set, the memory was true only until that time.
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
        """The text in a prompt.

        A memory begins with `MEMORY`, a past fact has its end date, and a turn has its speaker.
        """
        if self.type == "episode" and self.occurred is not None:
            return f"{MEMORY}{self.role}, {self.occurred.date().isoformat()}: {self.content}{ending(self.until)}"
        return f"{MEMORY}{self.content}" if self.type in ("summary", "fact", "episode") else self.content

    @property
    def message(self) -> dict[str, str]:
        """The part as a chat message, with the role of the speaker for a turn, and the role `system` for a memory."""
        return {"role": self.role if self.type == "turn" else "system", "content": self.shown}

    @property
    def line(self) -> str:
        """The part as a line of `as_text`. A turn begins with its speaker."""
        return f"{self.role}: {self.content}" if self.type == "turn" else self.shown

    def __repr__(self) -> str:
        return brief(self, self.type, self.content, many(self.tokens, "token"), id=self.id)


@dataclass(frozen=True, slots=True)
class PromptContext:
    """The context of a question: its *parts* in prompt order, at most *max_tokens* long; *tokens* is the actual length.

    Prompt and tools come first. The retrieved memories follow: the summary, the recollections (best first), and the
    graph. The turns come last, oldest first. *left_out* counts the recollections and turns that did not fit. *reused*
    is the share of the retrieved memories that were available before the question, because they were in working memory,
    returned just before, or prefetched. *reused* is None if nothing was retrieved.
    """

    question: str
    parts: Sequence[Part]
    tokens: int
    max_tokens: int
    left_out: int = 0
    reused: float | None = None

    @property
    def working(self) -> list[Part]:
        """The parts from working memory, which are the prompt, the tools and the turns."""
        return [part for part in self.parts if part.type in IN_MIND]

    @property
    def retrieved(self) -> list[Part]:
        """The retrieved parts. If there is a summary, it is the first."""
        return [part for part in self.parts if part.type not in IN_MIND]

    @property
    def summary(self) -> str | None:
        """The text of the session's summary in this context.

        It is None if there is no summary, or if the summary does not fit.
        """
        return next((part.content for part in self.parts if part.type == "summary"), None)

    def as_messages(self) -> list[dict[str, str]]:
        """Return the context as chat messages with `role` and `content`. You can add the question to these messages.

        Memories are system messages with the prefix `[Memory] `. Tool schemas are not included, because an API takes
        tool schemas separately.
        """
        return [part.message for part in self.parts if part.type != "tools"]

    def as_text(self) -> str:
        """Return the whole context as the lines of one prompt. Each turn begins with its speaker."""
        return "\n".join(part.line for part in self.parts)

    def __repr__(self) -> str:
        cost = f"{self.tokens} of {many(self.max_tokens, 'token')}"
        return brief(self, self.question, many(len(self.parts), "part"), cost, f"{self.left_out} left out")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer, and the *memories* that support the sentence.

    The memories are parts of the answer's context.
    """

    text: str
    memories: tuple[Part, ...]

    @property
    def sources(self) -> tuple[Source, ...]:
        """The cited words of the episodes, without repeats."""
        return tuple(dict.fromkeys(source for part in self.memories for source in part.sources))

    def __repr__(self) -> str:
        return brief(self, self.text, many(len(self.memories), "source"))


@dataclass(frozen=True, slots=True)
class SourcedAnswer:
    """The answer of a *model* to a *question*, in *sentences* that memories support.

    *rejected* are the model's sentences that no memory supports, each with the reason for its rejection.
    """

    question: str
    sentences: Sequence[Sentence]
    rejected: Sequence[str]
    model: str

    @property
    def known(self) -> bool:
        """True if a memory supports a sentence of the answer."""
        return bool(self.sentences)

    @property
    def text(self) -> str:
        """The joined sentences, or, without sentences, a text that says that the answer is not known."""
        return " ".join(sentence.text for sentence in self.sentences) or NOT_KNOWN

    def __repr__(self) -> str:
        return brief(self, self.question, self.text)
