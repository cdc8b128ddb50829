"""The scorers of salience: by rules, also by similarity to the question, and by learned weights.

All of them, and third-party scorers, implement the protocol in `slowwave.ports.salience`.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from slowwave.core.salience.terms import Salience, SalienceContext, SalientMemory

BIAS = "bias"
FEATURES = ("recency", "relevance", "importance", "frequency", "rules")
"""The features whose weights a scorer may learn, each in [0, 1], in this order."""


class RuleBasedScorer:
    """A scorer by recency, frequency and rules, independent of the question and a memory's importance."""

    def __init__(self, by: Salience) -> None:
        self._by = replace(by, relevance=0.0, importance=0.0)

    async def score(self, memory: SalientMemory, context: SalienceContext) -> float:
        """Return the salience of *memory*, in [0, 1]."""
        return salience(memory, self._by, context)


class EmbeddingScorer:
    """A scorer by recency, similarity to the question and importance, then by frequency and rules."""

    def __init__(self, by: Salience) -> None:
        self._by = by

    async def score(self, memory: SalientMemory, context: SalienceContext) -> float:
        """Return the salience of *memory*, in [0, 1]."""
        return salience(memory, self._by, context)


class LearnedScorer:
    """A scorer by learned weights: the probability, by a logistic sum over the features, that a memory helps."""

    def __init__(self, by: Salience) -> None:
        self._by, self._weights = by, by.learned or {}

    async def score(self, memory: SalientMemory, context: SalienceContext) -> float:
        """Return the salience of *memory*, in [0, 1]."""
        values = features(memory, self._by, context)
        total = sum(self._weights.get(name, 0.0) * value for name, value in values.items())
        return chance(self._weights.get(BIAS, 0.0) + total)


OWN: Mapping[str, Callable[[Salience], RuleBasedScorer | EmbeddingScorer | LearnedScorer]] = {
    "rules": RuleBasedScorer,
    "embedding": EmbeddingScorer,
    "learned": LearnedScorer,
}
"""Slowwave's own scorers, by their names in a policy."""


def salience(memory: SalientMemory, by: Salience, context: SalienceContext) -> float:
    """Return the salience of *memory*, in [0, 1]: recency, relevance and importance, raised by frequency, times its
    rule.

    Recency counts from the last access, else from the creation, and falls to 1/e in the context's τ; a new memory is
    never 0.
    """
    value = features(memory, by, context)
    weighed = by.recency * value["recency"] + by.relevance * value["relevance"] + by.importance * value["importance"]
    return clamped(weighed * (1 + by.per_frequency * value["frequency"]) * value["rules"])


def features(memory: SalientMemory, by: Salience, context: SalienceContext) -> dict[str, float]:
    """Return the values of `FEATURES` for *memory*, each in [0, 1]."""
    idle_seconds = max(0.0, (context.at - memory.standing.used).total_seconds())
    matched = (rule.worth for rule in by.rules if rule.covers(memory))
    return {
        "recency": math.exp(-idle_seconds / context.tau_seconds),
        "relevance": clamped(memory.similarity),
        "importance": clamped(memory.standing.base),
        "frequency": math.tanh(memory.standing.frequency / by.frequency_scale),
        "rules": next(matched, 1.0),
    }


def clamped(score: float) -> float:
    """Return *score*, or the nearest number in [0, 1].

    >>> clamped(1.5), clamped(-1.0), clamped(0.25)
    (1.0, 0.0, 0.25)
    """
    return max(0.0, min(1.0, score))


def chance(total: float) -> float:
    """Return the probability for a logistic sum, in [0, 1].

    >>> chance(0.0), round(chance(-1e9), 9)
    (0.5, 0.0)
    """
    return 1 / (1 + math.exp(-max(-700.0, min(700.0, total))))
