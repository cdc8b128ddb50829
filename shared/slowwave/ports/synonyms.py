"""Near synonyms of words, for recall."""

from collections.abc import Collection, Sequence
from typing import Protocol

from slowwave.core.recall.synonyms import NearWords


class Nearness(Protocol):
    """Gives the words that mean nearly the same as others."""

    @property
    def space(self) -> str:
        """The name of the embedding space of its words."""

    def near(self, words: Sequence[str]) -> Sequence[NearWords]:
        """Return the words near each of *words*, nearest first, each with the share of the word's meaning."""

    def says(self, question: str, texts: Sequence[str], without: Collection[str] = ()) -> Sequence[float]:
        """Return, for each of *texts*, how much of the words of *question* it covers, in [0, 1]."""
