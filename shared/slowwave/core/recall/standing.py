"""Standing in the rank: how salient a memory is, and what its kind and its tier count."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace

from slowwave.core.feedback import UNKNOWN
from slowwave.core.recall.candidate import Candidate, Ranked
from slowwave.core.recall.scoring import Scoring
from slowwave.core.salience.terms import SalientMemory
from slowwave.domain.standing import Standing

ENOUGH = 0.45
"""The score from which what stands on a hotter tier goes before all of a colder one: in dialogue four of five memories
that answer lie above it, and a good third of the first fifty that do not."""


def salient_memory(candidate: Candidate, standing: Standing | None) -> SalientMemory:
    """Return *candidate* as its salience is judged; what has no standing is as it was made."""
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
    """Return *ranked* with what *scoring* makes of where each memory stands, and of its salience."""
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
    """Return *ranked* with what *scoring* makes of the *tenses* of facts; no score is more than 1.0."""
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
    """Return the place in the order of tiers at which *one* is told: hotter ones first, where good enough."""
    order = list(scoring.tiers or ())
    tier = _tier(one, scoring, standings)
    if scoring.strategy != "fast_first" or one.score < ENOUGH or tier not in order:
        return len(order)
    return order.index(tier)


def _salient(one: Ranked, weight: float, salience: float) -> Ranked:
    """Give salience its share of the score."""
    score = (1 - weight) * one.score + weight * salience
    return replace(one, score=score, reasons={**one.reasons, "salience": salience})


def _faded(one: Ranked, weight: float, standing: Standing | None) -> Ranked:
    """Take off what has faded: of a memory of which half is left, half of *weight*."""
    left = 1.0 if standing is None else share_left(standing)
    return replace(one, score=one.score * (1 - weight * (1 - left)), reasons={**one.reasons, "strength": left})


def share_left(standing: Standing) -> float:
    """Return how much is left of what a memory was worth when it was made, in [0, 1]."""
    return 1.0 if standing.strength is None or not standing.base else min(1.0, standing.strength / standing.base)


def _counted(one: Ranked, name: str, share: float) -> Ranked:
    return replace(one, score=one.score * share, reasons={**one.reasons, name: share})


def _share(weights: Mapping[str, float], name: str | None) -> float:
    """Return what *name* counts against the one that counts most; what is not named counts whole."""
    most = max(weights.values())
    return weights.get(name or "", most) / most if most else 1.0


def _kind(candidate: Candidate, standing: Standing | None) -> str:
    return standing.kind if standing else "episodic" if candidate.kind == "episode" else "semantic"


def _source(candidate: Candidate) -> str:
    """Return how a memory without a standing came about."""
    return "statement" if candidate.form == "statement" else "stated"


def _tier(one: Ranked, scoring: Scoring, standings: Mapping[uuid.UUID, Standing]) -> str | None:
    standing = standings.get(one.candidate.id)
    return standing.tier if standing else scoring.entry
