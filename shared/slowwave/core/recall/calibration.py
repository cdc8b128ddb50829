"""Calibration: what a score means, whatever was asked: how often a memory that scores so much answers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from slowwave.core.recall.candidate import Ranked

FROM, TO = 20, 50
"""The places that hardly anything that answers stands on: what stands there is like the question by chance."""

UNSEEN = 10
"""So many places count as seen already, at the background of most questions: few memories make none of their own."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The curve from how far a match stands out to how often it answers.

    What matches as well as the *background*, the memories that are like a question by chance, hardly ever answers; what
    lies *half* above it answers half as often as the best, which do with a chance of *most*; *slope* is how fast that
    rises. *background* is that of most questions.
    """

    half: float = 0.19
    slope: float = 21.9
    most: float = 0.45
    background: float = 0.37


def calibrated(ranked: Sequence[Ranked], by: Calibration) -> list[Ranked]:
    """Return *ranked* with scores that mean the same for every question; its order stays, and `match` keeps the old.

    Of two memories of one answer the better match never scores less.
    """
    common = background([one.score for one in ranked], by)
    return [Ranked(one.candidate, _chance(one.score - common, by), one.reasons, one.score) for one in ranked]


def background(scores: Sequence[float], by: Calibration) -> float:
    """Return how well memories match this question by chance, from the *scores* of all that were ranked."""
    chance = sorted(scores, reverse=True)[FROM:TO]
    return (sum(chance) + UNSEEN * by.background) / (len(chance) + UNSEEN)


def _chance(above: float, by: Calibration) -> float:
    return by.most / (1 + math.exp(-by.slope * (above - by.half)))
