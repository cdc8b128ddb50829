"""Company: how well what stands beside a memory, or behind it, matches the question."""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

from slowwave.core.recall.candidate import Candidate, Ranked
from slowwave.core.recall.scoring import Weights


def relevance(candidate: Candidate, weights: Weights) -> float:
    """Return the match of the memory itself, in [0, 1]."""
    own = weights.similarity + weights.keyword
    matched = weights.similarity * candidate.similarity + weights.keyword * candidate.keyword
    return matched / own if own else 0.0


def contiguity(
    candidates: Iterable[Candidate], matches: Mapping[uuid.UUID, float], reach: int
) -> dict[uuid.UUID, float]:
    """The best match among the *other* episodes at most *reach* positions away in the session."""
    episodes = {(c.scope, c.session, c.position): c for c in candidates if c.kind == "episode"}
    best: dict[uuid.UUID, float] = defaultdict(float)
    for (scope, session, position), one in episodes.items():
        for step in range(1, reach + 1):
            if other := episodes.get((scope, session, position + step)):
                best[one.id] = max(best[one.id], matches[other.id])
                best[other.id] = max(best[other.id], matches[one.id])
    return best


def boosted(ranked: Sequence[Ranked], within: timedelta, boost: float) -> list[Ranked]:
    """Add *boost* to each episode for which *another* of them happened *within* that time of it."""
    times = sorted((one.candidate.occurred, one.candidate.id) for one in ranked if one.candidate.kind == "episode")
    close = {id_ for pair in pairwise(times) if pair[1][0] - pair[0][0] <= within for _, id_ in pair}
    return [
        replace(one, score=min(1.0, one.score + boost), reasons={**one.reasons, "contiguity": boost})
        if one.candidate.id in close
        else one
        for one in ranked
    ]


def provenance(candidates: Iterable[Candidate], matches: Mapping[uuid.UUID, float]) -> dict[uuid.UUID, float]:
    """For a fact the best match among its episodes, for an episode the best among the typed facts drawn from it."""
    best: dict[uuid.UUID, float] = defaultdict(float)
    for fact in candidates:
        if fact.kind == "fact":
            for source in fact.sources:
                if fact.form != "statement":
                    best[source.episode] = max(best[source.episode], matches[fact.id])
                best[fact.id] = max(best[fact.id], matches.get(source.episode, 0.0))
    return best
