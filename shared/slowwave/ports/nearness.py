"""Words and those near them, as recall needs them."""

from collections.abc import Collection, Sequence
from typing import Protocol

from slowwave.core.recall.nearness import NearWord


class Nearness(Protocol):
    """Words to the words that mean nearly the same."""

    @property
    def space(self) -> str:
        """The name of the embedding space in which its words lie."""

    def near(self, words: Sequence[str]) -> Sequence[NearWord]:
        """Return the words near each of *words*, the nearest first, with how much of it each says."""

    def says(self, question: str, texts: Sequence[str], without: Collection[str] = ()) -> Sequence[float]:
        """Return how much of the words of *question*, one by one, each of *texts* says, in [0, 1]; see `telling`."""
