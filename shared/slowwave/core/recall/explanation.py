"""Explaining: the contribution of each measure to a memory's match."""

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence

from slowwave.core.recall.adjustments import MEASURES, multiplier
from slowwave.core.recall.candidate import Ranked, answers
from slowwave.core.recall.ranking import WHOLE
from slowwave.core.recall.scoring import Scoring, Weights
from slowwave.domain.recollection import Measure, Part

ASSOCIATION = ("contiguity", "provenance")
SHARES = ("kind", "tier")
"""The reasons that multiply a score, in the order of their use."""


def parts(one: Ranked, weights: Weights, scoring: Scoring) -> list[Part]:
    """Return the parts that add up to the match of *one*, which was ranked by *weights* and *scoring*.

    If only the better of two measures counts, the other one is left out.
    """
    if scoring.fusion == "ranks":
        made = [Part("ranks", 1.0, one.reasons["ranks"], one.reasons["ranks"])]
    else:
        made = _matched(one, weights, scoring)
    made += _of_times(one, weights, made)
    for name in MEASURES:
        if (value := one.reasons.get(name)) is not None:
            weight = getattr(weights, "later" if name in ("ahead", "former") else name)
            made.append(_times(name, weight, value, multiplier(name, value, weights), made))
    made += _clamp(made)
    if scoring.salience and "salience" in one.reasons:
        weight, value = scoring.salience.weight, one.reasons["salience"]
        made.append(Part("salience", weight, value, weight * (value - _sum(made))))
    if (fades := scoring.strength) and (left := one.reasons.get("strength")) is not None:
        made.append(_times("strength", fades, left, 1 - fades * (1 - left), made))
    for name in SHARES:
        if (share := one.reasons.get(name)) is not None:
            made.append(_times(name, 1.0, share, share, made))
    if (factor := one.reasons.get("tense")) is not None:
        made.append(_times("tense", factor, 1.0, factor, made))
        made += _clamp(made)
    if boost := scoring.contiguity.boost:
        made += [Part("contiguity", 1.0, boost, boost)] if one.reasons.get("contiguity") else []
        made += _clamp(made)
    return [part for part in made if part.adds]


def _matched(one: Ranked, weights: Weights, scoring: Scoring) -> list[Part]:
    """Return the parts of the weighted sum, with the factors for current facts and questions, and the limit 1."""
    made = _added(one, weights, boosted=scoring.contiguity.boost is not None)
    if one.candidate.form == "typed" and weights.current != 1:
        coverage = max(one.reasons.get("keyword", 0.0), _led(one))
        made.append(_times("current", weights.current, coverage, 1 + (weights.current - 1) * coverage, made))
    if (factor := answers(one.candidate)) < 1:
        made.append(_times("asks", 1.0, factor, factor, made))
    made += _clamp(made)
    return made


def measures(found: Sequence[Ranked], parts_by_answer: Mapping[uuid.UUID, Sequence[Part]]) -> list[Measure]:
    """Return each measure that is not zero in *found*, with its share of the match of the answers.

    *parts_by_answer* has the parts of each answer's match.
    """
    counts: dict[str, int] = defaultdict(int)
    for one in found:
        for name, value in one.reasons.items():
            counts[name] += value > 0
    adds: dict[str, float] = defaultdict(float)
    for each in parts_by_answer.values():
        for part in each:
            adds[part.name] += part.adds
    total = sum(adds.values()) or 1.0
    names = dict.fromkeys([*counts, *adds])
    return [Measure(name, counts[name], adds[name] / total) for name in names if counts[name] or adds[name]]


def _added(one: Ranked, weights: Weights, *, boosted: bool) -> list[Part]:
    """Return the parts of the weighted sum. If only the best of several reasons counts, the others are left out.

    If *boosted*, `contiguity` is left out, because a flat boost replaces it.
    """
    beside = max(one.candidate.beside, key=lambda name: one.candidate.beside[name], default="")
    associated = "provenance" if boosted else max(ASSOCIATION, key=lambda name: one.reasons.get(name, 0.0))
    worded = weights.similarity * weights.worded if "worded" in one.reasons else 0.0
    by = {
        "similarity": weights.similarity - worded,
        "worded": worded,
        "keyword": weights.keyword,
        associated: weights.association,
        "speaker": weights.speaker,
        "recency": weights.recency,
        "conversation": weights.conversation,
        beside: weights.beside,
    }
    weighed = [
        Part(name, weight, value, weight * value)
        for name, weight in by.items()
        if (value := one.reasons.get(name, 0.0))
    ]
    chained = weights.chain and _led(one) == WHOLE and not one.reasons["speaker"]
    return [*weighed, Part("chain", weights.chain, WHOLE, weights.chain * WHOLE)] if chained else weighed


def _led(one: Ranked) -> float:
    """Return how strongly a memory is connected to the entities that the question names."""
    return max(one.candidate.beside.values(), default=0.0)


def _of_times(one: Ranked, weights: Weights, before: Sequence[Part]) -> list[Part]:
    """Return the parts for times. A score becomes the weighted mean of these parts and the match *before*."""
    by = {name: weight for name, weight in (("time", weights.time), ("dated", weights.dated)) if name in one.reasons}
    whole, match = 1 + sum(by.values()), _sum(before)
    return [
        Part(name, weight, value := one.reasons[name], weight * (value - match) / whole) for name, weight in by.items()
    ]


def _times(name: str, weight: float, value: float, factor: float, before: Sequence[Part]) -> Part:
    return Part(name, weight, value, _sum(before) * (factor - 1))


def _clamp(before: Sequence[Part]) -> list[Part]:
    """Return the part that reduces a match above 1 to 1."""
    total = _sum(before)
    return [Part("whole", 1.0, 1.0, 1 - total)] if total > 1 else []


def _sum(made: Sequence[Part]) -> float:
    return sum(part.adds for part in made)
