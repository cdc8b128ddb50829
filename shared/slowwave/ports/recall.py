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
    """An `Embedder` whose model embeds questions and texts differently. Its method `embed` embeds texts."""

    @property
    def slow(self) -> bool:
        """True if embedding is slow. Recall then embeds only the question and no stored text."""

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        """Return one vector (a row) per question.

        A caller can compare these vectors with the vectors that `embed` returns.
        """


def embed_questions(embedder: Embedder, questions: Sequence[str]) -> Vectors:
    """Return one vector (a row) per question, for a comparison with the vectors that *embedder* makes of texts."""
    if isinstance(embedder, QuestionEmbedder):
        return embedder.embed_questions(questions)
    return embedder.embed(questions)


def is_slow(embedder: Embedder) -> bool:
    """Return whether embedding is so slow that recall embeds only questions, and workers embed all texts."""
    return bool(getattr(embedder, "slow", False))  # `isinstance` takes .1 ms, and recall asks for each episode


class SalienceScorer(Protocol):
    """A scorer of memories. A package provides a scorer by an entry point of the group `slowwave.scorers`."""

    async def score(self, memory: SalientMemory, context: SalienceContext) -> float:
        """Return the salience of *memory* for the question of *context*, in [0, 1].

        Other values are clamped to this range.
        """


Scorers = Callable[[Salience], SalienceScorer]
"""A function that returns the scorer named by a policy."""


class Nearness(Protocol):
    """Finds words that mean nearly the same as given words."""

    @property
    def space(self) -> str:
        """The name of the embedding space of the words."""

    def near(self, words: Sequence[str]) -> Sequence[NearWords]:
        """Return the near synonyms of each of *words*, nearest first.

        Each synonym has a weight below 1: the share of the word's meaning that the synonym covers.
        """

    def says(self, question: str, texts: Sequence[str], without: Collection[str] = ()) -> Sequence[float]:
        """Return, for each text, the share of the words of *question* that the text covers, in [0, 1].

        The words in *without* do not count.
        """


@dataclass(frozen=True, slots=True)
class ExternalEntry:
    """An entry of another memory system: its *id* in that system, its *text*, and the time of the event, if known.

    *score* is the source's own relevance score, if there is one. Scores of different sources cannot be compared.
    """

    id: str
    text: str
    occurred: datetime | None = None
    score: float | None = None


class Source(Protocol):
    """Another memory system to search. A package provides it through an entry point of the group `slowwave.sources`."""

    def search(self, question: str, *, user: str, limit: int) -> Sequence[ExternalEntry]:
        """Return at most *limit* entries about *user* that answer *question*, best first. May raise any exception."""
