"""An answer in sentences, each with the memories that support it."""

from collections.abc import Sequence
from dataclasses import dataclass

from slowwave.domain.claim import Source
from slowwave.domain.context import Part
from slowwave.formatting.summary_lines import brief, many

NOT_KNOWN = "That is not known."


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
