"""Standing in the rank: the effect of a memory's salience, kind and tier on its score."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace

from slowwave.core.feedback import UNKNOWN
from slowwave.core.recall.candidate import Candidate, Ranked
from slowwave.core.recall.scoring import Scoring
from slowwave.core.salience.terms import SalientMemory
from slowwave.domain.standing import Standing

ENOUGH = 0.45
"""The score from which a memory of a hotter tier comes before all of a colder one: in dialogue four fifths of the
answers lie above it, and over a third of the first fifty others."""


def salient_memory(candidate: Candidate, standing: Standing | None) -> SalientMemory:
    """Return *candidate* in the form for salience scorers; without a standing it counts as new."""
    kind = _kind(candidate, standing)
    made = standing or Standing(kind, _source(candidate), "", UNKNOWN, candidate.occurred)
    return SalientMemory(
        made, candidate.similarity, candidate.keyword, candidate.text, form=candidate.form, role=candidate.role
    )


def by_standing(
    ranked: Sequence[Ranked],
    scoring: Scoring,
    standings: Mapping[uuid.UUID, Standing],
    saliences: Mapping[uuid.UUID, float],
) -> list[Ranked]:
    """Return *ranked* with scores adjusted for each memory's standing and salience, as *scoring* says."""
    weighed = list(ranked)
    if scoring.salience and saliences:
        weight = scoring.salience.weight
        weighed = [_salient(one, weight, saliences[one.candidate.id]) for one in weighed]
    if scoring.strength:
        weighed = [_faded(one, scoring.strength, standings.get(one.candidate.id)) for one in weighed]
    if scoring.kinds:
        weighed = [
            _counted(one, "kind", _share(scoring.kinds, _kind(one.candidate, standings.get(one.candidate.id))))
            for one in weighed
        ]
    if scoring.tiers and scoring.strategy != "fast_first":
        weighed = [_counted(one, "tier", _share(scoring.tiers, _tier(one, scoring, standings))) for one in weighed]
    return weighed


def by_tense(ranked: Sequence[Ranked], scoring: Scoring, tenses: Mapping[uuid.UUID, str]) -> list[Ranked]:
    """Return *ranked* with scores multiplied by the *tenses* of facts as *scoring* says; no score exceeds 1.0."""
    if not scoring.tenses:
        return list(ranked)
    weights = {id_: scoring.tenses.get(tense, 1.0) for id_, tense in tenses.items()}
    return [
        replace(one, score=min(1.0, one.score * weights[id_]), reasons={**one.reasons, "tense": weights[id_]})
        if (id_ := one.candidate.id) in weights
        else one
        for one in ranked
    ]


def rung(one: Ranked, scoring: Scoring, standings: Mapping[uuid.UUID, Standing]) -> int:
    """Return the sort position of *one* by tier: hotter ones first, if good enough."""
    order = list(scoring.tiers or ())
    tier = _tier(one, scoring, standings)
    if scoring.strategy != "fast_first" or one.score < ENOUGH or tier not in order:
        return len(order)
    return order.index(tier)


def _salient(one: Ranked, weight: float, salience: float) -> Ranked:
    """Add the weighted salience to the score."""
    score = (1 - weight) * one.score + weight * salience
    return replace(one, score=score, reasons={**one.reasons, "salience": salience})


def _faded(one: Ranked, weight: float, standing: Standing | None) -> Ranked:
    """Reduce the score by *weight* times the faded part: half of *weight* for half the strength."""
    left = 1.0 if standing is None else share_left(standing)
    return replace(one, score=one.score * (1 - weight * (1 - left)), reasons={**one.reasons, "strength": left})


def share_left(standing: Standing) -> float:
    """Return the remaining part of a memory's initial value, in [0, 1]."""
    return 1.0 if standing.strength is None or not standing.base else min(1.0, standing.strength / standing.base)


def _counted(one: Ranked, name: str, share: float) -> Ranked:
    return replace(one, score=one.score * share, reasons={**one.reasons, name: share})


def _share(weights: Mapping[str, float], name: str | None) -> float:
    """Return the weight of *name* relative to the largest weight; 1 if it is not listed."""
    most = max(weights.values())
    return weights.get(name or "", most) / most if most else 1.0


def _kind(candidate: Candidate, standing: Standing | None) -> str:
    return standing.kind if standing else "episodic" if candidate.kind == "episode" else "semantic"


def _source(candidate: Candidate) -> str:
    """Return the source of a memory without a standing."""
    return "statement" if candidate.form == "statement" else "stated"


def _tier(one: Ranked, scoring: Scoring, standings: Mapping[uuid.UUID, Standing]) -> str | None:
    standing = standings.get(one.candidate.id)
    return standing.tier if standing else scoring.entry
