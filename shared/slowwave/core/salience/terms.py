"""Salience, the present importance of a memory: its settings, the memory to score, and the scorers."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from slowwave.domain.claim import Form
from slowwave.domain.episode import Role
from slowwave.domain.standing import Standing
from slowwave.formatting import brief, since

DAY_SECONDS = 86_400.0
BIAS = "bias"
FEATURES = ("recency", "relevance", "importance", "frequency", "rules")
"""The features whose weights a scorer may learn, each in [0, 1], in this order."""


@dataclass(frozen=True, slots=True)
class SalientMemory:
    """A memory to score, with its state (*standing*) and its match with the question.

    *similarity* is the cosine of the memory to the question. *keyword* is the share of the question's words that the
    memory contains. Both are in [0, 1]. *text* is set only for facts, because an episode's text is read only if the
    episode is among the answers. An episode has a *role* and no *form*. A fact has a *form* and no *role*.
    """

    standing: Standing
    similarity: float = 0.0
    keyword: float = 0.0
    text: str = ""
    form: Form | None = None
    role: Role | None = None

    def __repr__(self) -> str:
        near = f"similarity {self.similarity:.2f}, keyword {self.keyword:.2f}"
        return brief(self, self.text, near)


@dataclass(frozen=True, slots=True)
class SalienceContext:
    """The *question* for which memories are scored, its time (*at*), and the time in which the recency of a memory
    falls to 1/e.
    """

    at: datetime
    question: str = ""
    tau_seconds: float = DAY_SECONDS

    def __repr__(self) -> str:
        return brief(self, self.question, since(self.at, "at"), f"tau {self.tau_seconds:g} s")


@dataclass(frozen=True, slots=True)
class SalienceRule:
    """A factor for memories of one *kind*, *source*, *tier*, *role* and *form*. None matches any value."""

    factor: float
    kind: str | None = None
    source: str | None = None
    tier: str | None = None
    role: str | None = None
    form: str | None = None

    def covers(self, memory: SalientMemory) -> bool:
        """Return whether this rule applies to *memory*."""
        standing = memory.standing
        asked = (self.kind, self.source, self.tier, self.role, self.form)
        found = (standing.kind, standing.source, standing.tier, memory.role, memory.form)
        return all(one in (None, other) for one, other in zip(asked, found, strict=True))


@dataclass(frozen=True, slots=True)
class Salience:
    """The weight of salience in a score, and of each of its parts.

    *weight* is the share of salience in the score, from 0 to 1. *by* is the name of the scorer. *recency*, *relevance*
    and *importance* are the weights of a sum. Confirmations raise the sum by the share *per_frequency* · tanh(number /
    *frequency_scale*). The first of the *rules* that applies to a memory multiplies the result. *learned* are the
    weights of a learned scorer, by feature.
    """

    weight: float
    by: str = "rules"
    recency: float = 1.0
    relevance: float = 0.0
    importance: float = 0.0
    tau_seconds: float = DAY_SECONDS
    per_frequency: float = 0.5
    frequency_scale: float = 10.0
    rules: tuple[SalienceRule, ...] = ()
    learned: Mapping[str, float] | None = field(default=None)


class EmbeddingScorer:
    """A scorer by recency, similarity to the question, importance, frequency and rules."""

    def __init__(self, by: Salience) -> None:
        self._by = by

    async def score(self, memory: SalientMemory, context: SalienceContext) -> float:
        """Return the salience of *memory*, in [0, 1]."""
        return salience(memory, self._by, context)


class RuleBasedScorer(EmbeddingScorer):
    """A scorer by recency, frequency and rules. It ignores the question and the importance of the memory."""

    def __init__(self, by: Salience) -> None:
        super().__init__(replace(by, relevance=0.0, importance=0.0))


class LearnedScorer:
    """A scorer by learned weights.

    The score is the probability, by a logistic sum over the features, that a memory helps.
    """

    def __init__(self, by: Salience) -> None:
        self._by, self._weights = by, by.learned or {}

    async def score(self, memory: SalientMemory, context: SalienceContext) -> float:
        """Return the salience of *memory*, in [0, 1]."""
        values = features(memory, self._by, context)
        total = sum(self._weights.get(name, 0.0) * value for name, value in values.items())
        return chance(self._weights.get(BIAS, 0.0) + total)


OWN: Mapping[str, Callable[[Salience], EmbeddingScorer | LearnedScorer]] = {
    "rules": RuleBasedScorer,
    "embedding": EmbeddingScorer,
    "learned": LearnedScorer,
}
"""Slowwave's own scorers, by their names in a policy."""


def salience(memory: SalientMemory, by: Salience, context: SalienceContext) -> float:
    """Return the salience of *memory*, in [0, 1].

    The weighted sum of recency, relevance and importance is raised by frequency and multiplied by the factor of the
    first matching rule. Recency is 1 at the last access, or at the creation if there was no access, and falls to 1/e in
    the τ of *context*.
    """
    value = features(memory, by, context)
    weighed = by.recency * value["recency"] + by.relevance * value["relevance"] + by.importance * value["importance"]
    return clamped(weighed * (1 + by.per_frequency * value["frequency"]) * value["rules"])


def features(memory: SalientMemory, by: Salience, context: SalienceContext) -> dict[str, float]:
    """Return the values of `FEATURES` for *memory*, each in [0, 1]."""
    idle_seconds = max(0.0, (context.at - memory.standing.used).total_seconds())
    matched = (rule.factor for rule in by.rules if rule.covers(memory))
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
