"""Words and those near them, as recall needs them."""

from collections.abc import Sequence
from typing import Protocol

from slowwave.core.recall.nearness import NearWord


class Nearness(Protocol):
    """Words to the words that mean nearly the same."""

    def near(self, words: Sequence[str]) -> Sequence[NearWord]:
        """Return the words near each of *words*, the nearest first, with how much of it each says."""
