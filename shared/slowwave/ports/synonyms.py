"""Words and their near synonyms, as recall needs them."""

from collections.abc import Collection, Sequence
from typing import Protocol

from slowwave.core.recall.synonyms import NearWords


class Nearness(Protocol):
    """Gives the words that mean nearly the same as others."""

    @property
    def space(self) -> str:
        """The name of the embedding space of its words."""

    def near(self, words: Sequence[str]) -> Sequence[NearWords]:
        """Return the words near each of *words*, nearest first, with how much of its meaning each has."""

    def says(self, question: str, texts: Sequence[str], without: Collection[str] = ()) -> Sequence[float]:
        """Return how much of each word of *question* each of *texts* expresses, in [0, 1]; see `telling`."""
