"""Salience as recall needs it: who judges how much a memory matters, whatever is asked."""

from collections.abc import Callable
from typing import Protocol

from slowwave.core.salience.terms import Salience, SalienceContext, SalientMemory


class SalienceScorer(Protocol):
    """A judge of memories. A package brings one by an entry point of the group `slowwave.scorers`."""

    async def score(self, memory: SalientMemory, context: SalienceContext) -> float:
        """Return how salient *memory* is for the question of *context*, in [0, 1]; beyond that it is clamped."""


Scorers = Callable[[Salience], SalienceScorer]
"""The scorer that a policy asks for."""
