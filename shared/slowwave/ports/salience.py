"""Salience: scorers of how much a memory matters, for recall."""

from collections.abc import Callable
from typing import Protocol

from slowwave.core.salience.terms import Salience, SalienceContext, SalientMemory


class SalienceScorer(Protocol):
    """A scorer of memories. A package provides one by an entry point of the group `slowwave.scorers`."""

    async def score(self, memory: SalientMemory, context: SalienceContext) -> float:
        """Return the salience of *memory* for the question of *context*, in [0, 1]; other values are clamped."""


Scorers = Callable[[Salience], SalienceScorer]
"""A function that returns the scorer named by a policy."""
