"""How much a memory matters here and now: the scorer's protocol, and the rules that score when nothing has learned to.

A scorer may ask a model, hence `async`. The same protocol serves scorers by embedding and learned ones.
"""

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from slowwave.domain.standing import Standing


@dataclass(frozen=True, slots=True)
class Scoring:
    """How much each part counts.

    *recency*, *relevance* and *importance* weigh a sum; what is confirmed often and what rules ask for then lifts it
    by a share of up to *per_frequency* and *per_match*. Both approach that share as tanh does, on scales of
    *frequency_scale* confirmations and *match_scale* rules.
    """

    recency: float = 1.0
    relevance: float = 0.0
    importance: float = 0.0
    tau_seconds: float = 86_400.0
    per_frequency: float = 0.5
    frequency_scale: float = 10.0
    per_match: float = 0.5
    match_scale: float = 5.0
    current: float = 1.2
    past: float = 0.7


@dataclass(frozen=True, slots=True)
class SalienceContext:
    """What is asked, when, and how the memory in question meets it.

    *similarity* is the cosine to the question; *matches* counts the rules that ask for the memory; *temporal* says
    whether what it holds is so now or was so once. *tau_seconds* goes before the scoring's own.
    """

    at: datetime
    tau_seconds: float | None = None
    similarity: float = 0.0
    matches: int = 0
    temporal: Literal["current", "past"] | None = None


class SalienceScorer(Protocol):
    """A memory and what is asked, to a number from 0 to 1."""

    async def score(self, memory: Standing, context: SalienceContext) -> float:
        """Return how much *memory* matters in *context*, in [0, 1]."""


@dataclass(frozen=True, slots=True)
class RuleBasedScorer:
    """Recency × frequency × rule match. Recency counts from the last access, else from the making."""

    scoring: Scoring = Scoring()

    async def score(self, memory: Standing, context: SalienceContext) -> float:
        """Return how much *memory* matters in *context*, in [0, 1]; never 0 for one that was just made."""
        return salience(memory, context, self.scoring)


def salience(memory: Standing, context: SalienceContext, scoring: Scoring) -> float:
    """Return the score of the rules, for those who need no protocol."""
    idle_seconds = max(0.0, (context.at - memory.used).total_seconds())
    weighed = (
        scoring.recency * math.exp(-idle_seconds / (context.tau_seconds or scoring.tau_seconds))
        + scoring.relevance * context.similarity
        + scoring.importance * memory.base
    )
    lifted = (
        weighed
        * (1 + scoring.per_frequency * math.tanh(memory.frequency / scoring.frequency_scale))
        * (1 + scoring.per_match * math.tanh(context.matches / scoring.match_scale))
        * {"current": scoring.current, "past": scoring.past, None: 1.0}[context.temporal]
    )
    return max(0.0, min(1.0, lifted))
