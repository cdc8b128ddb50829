"""Calibration: makes similarities of several embedding spaces comparable, and a score mean the same for every question:
the share of such memories that answer.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from slowwave.core.recall.candidate import Candidate, Ranked

FROM, TO = 20, 50
"""The ranks whose memories hardly ever answer: they resemble the question by chance."""

UNSEEN = 10
"""The weight, in memories, of the default background: with few memories it dominates."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The curve from a match's distance above the background to the chance that it answers.

    A memory that matches as well as the *background*, which is reached by chance, hardly ever answers; one that lies
    *half* above it answers half as often as the best, whose chance is *most*; *slope* is the steepness. *background* is
    the default, that of most questions.
    """

    half: float = 0.19
    slope: float = 21.9
    most: float = 0.45
    background: float = 0.37


def calibrated(ranked: Sequence[Ranked], by: Calibration) -> list[Ranked]:
    """Return *ranked* with calibrated scores; the order stays, and `match` keeps the old score.

    Of two memories of one answer the better match never scores less.
    """
    common = background([one.score for one in ranked], by)
    return [Ranked(one.candidate, _chance(one.score - common, by), one.reasons, one.score) for one in ranked]


def background(scores: Sequence[float], by: Calibration) -> float:
    """Return the match that memories reach by chance for this question, from the *scores* of all ranked ones."""
    chance = sorted(scores, reverse=True)[FROM:TO]
    return (sum(chance) + UNSEEN * by.background) / (len(chance) + UNSEEN)


def _chance(above: float, by: Calibration) -> float:
    return by.most / (1 + math.exp(-by.slope * (above - by.half)))


def levelled(spaces: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """Return the candidates of all *spaces*, space by space, with similarities that depend on their ranks.

    The first in each space gets the mean similarity of all firsts, and the next ranks the mean of their ranks. So no
    order within a space changes, and no space is preferred because its cosines are high. A similarity of 0 stays 0.
    Words, times and neighbours are comparable everywhere and decide between spaces.
    """
    ordered = [sorted({one.similarity for one in space if one.similarity > 0}, reverse=True) for space in spaces]
    firsts = [similarities[0] for similarities in ordered if similarities]
    level = [sum(firsts) / len(firsts)] if firsts else []
    for place in range(1, max(map(len, ordered), default=0)):
        longer = [similarities for similarities in ordered if place < len(similarities)]
        fallen = sum(one[place] for one in longer) / sum(one[place - 1] for one in longer)
        level.append(level[-1] * fallen)
    of = [dict(zip(similarities, level, strict=False)) for similarities in ordered]
    return [
        one.but(similarity=known.get(one.similarity, one.similarity))
        for space, known in zip(spaces, of, strict=True)
        for one in space
    ]
