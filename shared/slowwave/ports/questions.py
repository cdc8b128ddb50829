"""Questions made vectors, by embedders that read them otherwise than texts, and by those that read both alike."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from slowwave.ports import Embedder, Vectors


@runtime_checkable
class QuestionEmbedder(Embedder, Protocol):
    """An `Embedder` of a model that reads a question otherwise than the texts that answer it: `embed` is for texts."""

    @property
    def slow(self) -> bool:
        """True if a text takes so long that a question waits for its own vector alone, and for that of no text."""

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        """Return a row a question as `embed` does a text, to be compared with rows of texts."""


def embed_questions(embedder: Embedder, questions: Sequence[str]) -> Vectors:
    """Return a row a question by which *embedder* finds texts."""
    if isinstance(embedder, QuestionEmbedder):
        return embedder.embed_questions(questions)
    return embedder.embed(questions)


def is_slow(embedder: Embedder) -> bool:
    """Return whether a question waits for its own vector alone, and texts are left to workers."""
    return isinstance(embedder, QuestionEmbedder) and embedder.slow
