"""Ports of recall: embedding of questions, salience, near synonyms, and external sources."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from slowwave.core.recall.synonyms import NearWords
from slowwave.core.salience.terms import Salience, SalienceContext, SalientMemory
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


class SalienceScorer(Protocol):
    """A scorer of memories. A package provides one by an entry point of the group `slowwave.scorers`."""

    async def score(self, memory: SalientMemory, context: SalienceContext) -> float:
        """Return the salience of *memory* for the question of *context*, in [0, 1]; other values are clamped."""


Scorers = Callable[[Salience], SalienceScorer]
"""A function that returns the scorer named by a policy."""


class Nearness(Protocol):
    """Gives the words that mean nearly the same as others."""

    @property
    def space(self) -> str:
        """The name of the embedding space of its words."""

    def near(self, words: Sequence[str]) -> Sequence[NearWords]:
        """Return the words near each of *words*, nearest first, each with the share of the word's meaning."""

    def says(self, question: str, texts: Sequence[str], without: Collection[str] = ()) -> Sequence[float]:
        """Return, for each of *texts*, how much of the words of *question* it covers, in [0, 1]."""


@dataclass(frozen=True, slots=True)
class ExternalEntry:
    """An entry of another memory: its *id* there, its *text*, and when it happened, if known.

    *score* is the source's own relevance score, if any; it is not comparable between sources.
    """

    id: str
    text: str
    occurred: datetime | None = None
    score: float | None = None


class Source(Protocol):
    """Another memory, which a package provides under the entry point `slowwave.sources`."""

    def search(self, question: str, *, user: str, limit: int) -> Sequence[ExternalEntry]:
        """Return at most *limit* entries about *user* that answer *question*, best first. May raise any exception."""
