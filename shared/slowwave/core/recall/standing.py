"""Standing in the rank: how salient a memory is, and what its kind and its tier count."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace

from slowwave.core.feedback import UNKNOWN
from slowwave.core.recall.candidate import Candidate, Ranked
from slowwave.core.recall.scoring import Scoring
from slowwave.core.salience import Salience, salience
from slowwave.domain.standing import Standing

ENOUGH = 0.45
"""The score from which what stands on a hotter tier goes before all of a colder one: in dialogue four of five memories
that answer lie above it, and a good third of the first fifty that do not."""


def by_standing(ranked: Sequence[Ranked], scoring: Scoring, standings: Mapping[uuid.UUID, Standing]) -> list[Ranked]:
    """Return *ranked* with what *scoring* makes of where each memory stands; what has no standing is as it was made."""
    weighed = list(ranked)
    if scoring.salience:
        weighed = [_salient(one, scoring.salience, standings.get(one.candidate.id)) for one in weighed]
    if scoring.kinds:
        weighed = [_counted(one, "kind", _share(scoring.kinds, _kind(one.candidate, standings))) for one in weighed]
    if scoring.tiers and scoring.strategy != "fast_first":
        weighed = [_counted(one, "tier", _share(scoring.tiers, _tier(one, scoring, standings))) for one in weighed]
    return weighed


def rung(one: Ranked, scoring: Scoring, standings: Mapping[uuid.UUID, Standing]) -> int:
    """Return the place in the order of tiers at which *one* is told: hotter ones first, where good enough."""
    order = list(scoring.tiers or ())
    tier = _tier(one, scoring, standings)
    if scoring.strategy != "fast_first" or one.score < ENOUGH or tier not in order:
        return len(order)
    return order.index(tier)


def _salient(one: Ranked, by: Salience, standing: Standing | None) -> Ranked:
    """Give salience its share of the score."""
    candidate = one.candidate
    stands = standing or Standing("episodic", "stated", "", UNKNOWN, candidate.occurred)
    at = candidate.occurred + candidate.age
    salient = salience(stands, by, at=at, similarity=candidate.similarity)
    score = (1 - by.weight) * one.score + by.weight * salient
    return replace(one, score=score, reasons={**one.reasons, "salience": salient})


def _counted(one: Ranked, name: str, share: float) -> Ranked:
    return replace(one, score=one.score * share, reasons={**one.reasons, name: share})


def _share(weights: Mapping[str, float], name: str | None) -> float:
    """Return what *name* counts against the one that counts most; what is not named counts whole."""
    most = max(weights.values())
    return weights.get(name or "", most) / most if most else 1.0


def _kind(candidate: Candidate, standings: Mapping[uuid.UUID, Standing]) -> str:
    standing = standings.get(candidate.id)
    return standing.kind if standing else "episodic" if candidate.kind == "episode" else "semantic"


def _tier(one: Ranked, scoring: Scoring, standings: Mapping[uuid.UUID, Standing]) -> str | None:
    standing = standings.get(one.candidate.id)
    return standing.tier if standing else scoring.entry
