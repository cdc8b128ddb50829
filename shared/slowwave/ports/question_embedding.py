"""Question embedding, for embedders that treat questions differently from texts and for those that do not."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from slowwave.ports import Embedder, Vectors


@runtime_checkable
class QuestionEmbedder(Embedder, Protocol):
    """An `Embedder` whose model embeds questions differently from texts: `embed` is for texts."""

    @property
    def slow(self) -> bool:
        """True if embedding takes so long that a question waits only for its own vector, never for a text's."""

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        """Return one row per question, in the form of `embed`, to compare with rows of texts."""


def embed_questions(embedder: Embedder, questions: Sequence[str]) -> Vectors:
    """Return one row per question, to compare with *embedder*'s rows of texts."""
    if isinstance(embedder, QuestionEmbedder):
        return embedder.embed_questions(questions)
    return embedder.embed(questions)


def is_slow(embedder: Embedder) -> bool:
    """Return whether a question waits only for its own vector, and workers embed all texts."""
    return isinstance(embedder, QuestionEmbedder) and embedder.slow
