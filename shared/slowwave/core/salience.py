"""Salience: how much a memory matters here and now, whatever is asked: used lately, confirmed often, worth keeping."""

import math
from dataclasses import dataclass
from datetime import datetime

from slowwave.domain.standing import Standing


@dataclass(frozen=True, slots=True)
class Salience:
    """The weight of salience in a score, and of each of its parts.

    *weight* is its share of the score, from 0 to 1. *recency*, *relevance* and *importance* weigh a sum; what is
    confirmed often then lifts it by a share of up to *per_frequency*, approached as tanh does on a scale of
    *frequency_scale* confirmations.
    """

    weight: float
    recency: float = 1.0
    relevance: float = 0.0
    importance: float = 0.0
    tau_seconds: float = 86_400.0
    per_frequency: float = 0.5
    frequency_scale: float = 10.0


def salience(memory: Standing, by: Salience, *, at: datetime, similarity: float) -> float:
    """Return how salient *memory* is *at* a time, in [0, 1], where *similarity* is its cosine to the question.

    Recency counts from the last access, else from the making, and falls to 1/e in *tau_seconds*; what was just made is
    never 0.
    """
    idle_seconds = max(0.0, (at - memory.used).total_seconds())
    weighed = (
        by.recency * math.exp(-idle_seconds / by.tau_seconds) + by.relevance * similarity + by.importance * memory.base
    )
    lifted = weighed * (1 + by.per_frequency * math.tanh(memory.frequency / by.frequency_scale))
    return max(0.0, min(1.0, lifted))
