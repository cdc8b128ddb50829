"""Company: how well what stands beside a memory, or behind it, matches the question."""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

from slowwave.core.recall.candidate import Candidate, Ranked
from slowwave.core.recall.echo import lends
from slowwave.core.recall.scoring import Weights


def relevance(candidate: Candidate, weights: Weights) -> float:
    """Return the match of the memory itself, in [0, 1]."""
    own = weights.similarity + weights.keyword
    matched = weights.similarity * candidate.similarity + weights.keyword * candidate.keyword
    return matched / own if own else 0.0


COVERS = 2
"""How many positions away a turn may say a word for another: half as much a position further on."""

BEST_OF = 3
"""Turns by which a conversation is judged: one may match by chance, and of many most are about something else."""


def covered(candidates: Sequence[Candidate], share: float) -> dict[uuid.UUID, float]:
    """Return the keyword of each episode if what its neighbours in the session say of the question counts by *share*.

    What is asked about is often said in two turns: by who asks, and by who answers. A turn that itself says nothing of
    the question is about something else.
    """
    episodes = _by_place(candidates)
    keywords = {}
    for (scope, session, position), one in episodes.items():
        if not one.shares:
            continue
        words = dict(one.shares)
        for step in (step for away in range(1, COVERS + 1) for step in (-away, away)):
            if other := episodes.get((scope, session, position + step)):
                counts = share * 0.5 ** (abs(step) - 1) * lends(other)
                for word, said in other.shares.items():
                    words[word] = max(words.get(word, 0.0), counts * said)
        keywords[one.id] = min(1.0, sum(words.values()) * one.saturation)
    return keywords


def conversations(
    candidates: Sequence[Candidate], matches: Mapping[uuid.UUID, float]
) -> dict[tuple[uuid.UUID, str], float]:
    """Return how well each conversation matches, in [0, 1]: by its best turns, and by what it says of the question."""
    turns: dict[tuple[uuid.UUID, str], list[Candidate]] = defaultdict(list)
    for one in candidates:
        if one.kind == "episode":
            turns[one.scope, one.session].append(one)
    return {where: (_best_turns(said, matches) + _said(said)) / 2 for where, said in turns.items()}


def contiguity(
    candidates: Iterable[Candidate], matches: Mapping[uuid.UUID, float], reach: int
) -> dict[uuid.UUID, float]:
    """The best match among the *other* episodes at most *reach* positions away in the session."""
    episodes = _by_place(candidates)
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


def _by_place(candidates: Iterable[Candidate]) -> dict[tuple[uuid.UUID, str, int], Candidate]:
    return {(one.scope, one.session, one.position): one for one in candidates if one.kind == "episode"}


def _best_turns(turns: Sequence[Candidate], matches: Mapping[uuid.UUID, float]) -> float:
    best = sorted((matches[one.id] for one in turns), reverse=True)[:BEST_OF]
    return sum(best) / len(best)


def _said(turns: Sequence[Candidate]) -> float:
    words: dict[int, float] = {}
    for one in turns:
        for word, said in one.shares.items():
            words[word] = max(words.get(word, 0.0), said * lends(one))
    return min(1.0, sum(words.values()))
