"""An answer in sentences, each with the memories that carry it."""

from collections.abc import Sequence
from dataclasses import dataclass

from slowwave.brief import brief, many
from slowwave.domain.claim import Source
from slowwave.domain.context import Part

NOT_KNOWN = "That is not known."


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer and the *memories* that carry it, parts of the context it was made from."""

    text: str
    memories: tuple[Part, ...]

    @property
    def sources(self) -> tuple[Source, ...]:
        """The words of the episodes behind it, each once."""
        return tuple(dict.fromkeys(source for part in self.memories for source in part.sources))

    def __repr__(self) -> str:
        return brief(self, self.text, many(len(self.memories), "source"))


@dataclass(frozen=True, slots=True)
class SourcedAnswer:
    """The answer to a *question* by a *model*: *sentences*, none where nothing that is remembered carries one.

    *rejected* are sentences that the model said and no memory carries, each with the reason.
    """

    question: str
    sentences: Sequence[Sentence]
    rejected: Sequence[str]
    model: str

    @property
    def known(self) -> bool:
        """True where something that is remembered answers."""
        return bool(self.sentences)

    @property
    def text(self) -> str:
        """The sentences in a row, or that it is not known."""
        return " ".join(sentence.text for sentence in self.sentences) or NOT_KNOWN

    def __repr__(self) -> str:
        return brief(self, self.question, self.text)
