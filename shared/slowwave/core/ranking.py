"""Ranking: which memories answer a question best, decided from what one scan of the scopes has measured."""

import math
import re
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Literal

from slowwave.core.feedback import UNKNOWN
from slowwave.core.salience import Salience, salience
from slowwave.domain.claim import Form, Source
from slowwave.domain.episode import Role
from slowwave.domain.standing import Standing

REACH = 3
"""How many positions of a session may lie between two episodes of the same moment: a gap in time says little, for some
answer within seconds and some after hours."""

BOOSTED_OF = 2
"""Where a flat boost is asked for, it decides among so many times the limit."""

RECENCY_HALF_LIFE = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each reason; they add up to 1, so that a score lies in [0, 1].

    The values lie in the middle of a plateau: on dialogue, moving any of them by 0.05 changes evidence recall by less
    than 0.015. Recency decides between equals only.
    """

    similarity: float = 0.30
    keyword: float = 0.25
    association: float = 0.30
    speaker: float = 0.10
    recency: float = 0.05

    def __post_init__(self) -> None:
        parts = (self.similarity, self.keyword, self.association, self.speaker, self.recency)
        if min(parts) < 0 or not math.isclose(sum(parts), 1):
            raise ValueError(f"weights must be 0 or more and add up to 1, got {self}")

    @property
    def lift(self) -> float:
        """The share of a neighbour's weighted match that is added to a memory's own."""
        own = self.similarity + self.keyword
        return self.association / own if own else 0.0


@dataclass(frozen=True, slots=True)
class Contiguity:
    """The rule by which two episodes lie in the same moment, and the boost for it.

    At most *reach* positions of one session apart, a memory is lifted by how well its neighbour matches. With *within*
    and *boost* instead, a score gains the *boost* if another of the best results happened within that time of it.
    """

    reach: int | None = REACH
    within: timedelta | None = None
    boost: float | None = None

    def __post_init__(self) -> None:
        if (self.within is None) != (self.boost is None) or (self.within is None) == (self.reach is None):
            raise ValueError(f"contiguity goes by reach, or by within and boost, got {self}")


@dataclass(frozen=True, slots=True)
class Scoring:
    """The way memories are ranked beyond their match. Without *salience*, their standing does not count."""

    contiguity: Contiguity = Contiguity()
    salience: Salience | None = None


@dataclass(frozen=True, slots=True)
class Bm25:
    """The parameters of BM25: *k1* is how much a long text may still gain, *b* how much length is held against it.

    A word counts once a text, however often it stands there: in short turns repetition says nothing. Turns differ in
    length for reasons that have nothing to do with their subject, hence a small *b* (Robertson and Zaragoza 2009).
    """

    k1: float = 1.2
    b: float = 0.3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that may answer, as the scan has measured it.

    *similarity* is the cosine to the question and *keyword* the share of the question's words it contains, weighted
    by their rarity; both in [0, 1]. *text* and the end of an episode's own source are filled in only for what is
    returned. *speaker* is a fact's subject, *form* which form of fact it is, *of_user* tells whether it is about the
    user of its scope. *position* and *session* of a fact are those of the episode it was last drawn from; it has no
    *role*.
    """

    kind: Literal["fact", "episode"]
    id: uuid.UUID
    scope: uuid.UUID
    position: int
    session: str
    occurred: datetime
    received: datetime
    age: timedelta
    speaker: str | None
    similarity: float
    keyword: float
    sources: Sequence[Source]
    text: str = ""
    confidence: float | None = None
    form: Form | None = None
    of_user: bool = False
    role: Role | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score and the reasons for it, each in [0, 1]."""

    candidate: Candidate
    score: float
    reasons: Mapping[str, float]


def rank(
    candidates: Sequence[Candidate],
    question: str,
    *,
    limit: int,
    weights: Weights | None = None,
    scoring: Scoring | None = None,
    standings: Mapping[uuid.UUID, Standing] | None = None,
    called: Mapping[uuid.UUID, str] | None = None,
) -> list[Ranked]:
    """Return the best *limit* of *candidates*, best first; of equals, what happened later stands first.

    A memory is lifted by the company it keeps: by what was said in the same moment (`contiguity`), and by the facts
    drawn from it or the episodes it was drawn from (`provenance`). The better of the two counts. Where *scoring* asks
    for salience, *standings* say where memories stand, by their id; a memory that has none is as it was made. *called*
    is what the user of a scope is called: facts about them are named by that, and by "I" and "the user".

    A statement says the words of its episode again, with the name of whoever spoke: it is no second witness, which
    would lift the episode, and the name in it counts as a word and no more.
    """
    weights, scoring = weights or Weights(), scoring or Scoring()
    relevance = {candidate.id: _relevance(candidate, weights) for candidate in candidates}
    contiguity = _contiguity(candidates, relevance, scoring.contiguity.reach or 0)
    provenance = _provenance(candidates, relevance)
    named = {speaker: is_named(speaker, question) for speaker in {c.speaker for c in candidates if c.speaker}}
    asked = {scope for scope, name in (called or {}).items() if is_named(name, question)}
    of_user = is_of_user(question)

    def is_spoken_of(one: Candidate) -> bool:
        return named.get(one.speaker or "", False) or (one.of_user and (of_user or one.scope in asked))

    ranked = [
        _ranked(
            candidate,
            {
                "similarity": candidate.similarity,
                "keyword": candidate.keyword,
                "contiguity": contiguity.get(candidate.id, 0.0),
                "provenance": provenance.get(candidate.id, 0.0),
                "speaker": float(candidate.form != "statement" and is_spoken_of(candidate)),
                "recency": recency(candidate.age),
            },
            weights,
        )
        for candidate in candidates
    ]
    if scoring.salience:
        ranked = [_salient(one, scoring.salience, (standings or {}).get(one.candidate.id)) for one in ranked]
    ranked.sort(key=_best_first)
    if (within := scoring.contiguity.within) and (boost := scoring.contiguity.boost):
        ranked = sorted(_boosted(ranked[: BOOSTED_OF * limit], within, boost), key=_best_first)
    return ranked[:limit]


def recency(age: timedelta) -> float:
    """Return 1.0 for what happened just now (or lies ahead), halving every 30 days.

    >>> recency(timedelta(days=60))
    0.25
    """
    return float(2.0 ** -(max(age, timedelta(0)) / RECENCY_HALF_LIFE))


def is_named(speaker: str, question: str) -> bool:
    """Return whether *question* names *speaker*, by the full name or the first, as whole words in any case.

    Whoever is somebody's is named by both.

    >>> is_named("Ann Lee", "Where did ann go?"), is_named("Ann Lee", "What annoys Lee?")
    (True, False)
    >>> is_named("Ann's sister", "Where is Ann?"), is_named("Ann's sister", "Where is Ann's sister?")
    (False, True)
    """
    asked = _WORD.findall(question.casefold())
    owner, _, whose = speaker.casefold().replace("’", "'").partition("'s ")
    names = _WORD.findall(owner)
    return bool(names) and names[0] in asked and set(_WORD.findall(whose)) <= {*asked}


def is_of_user(question: str) -> bool:
    """Return whether *question* is about whoever asks it, or about the user.

    >>> is_of_user("Where do I live?"), is_of_user("What is the user's name?"), is_of_user("Where is World War II?")
    (True, True, False)
    """
    return _OF_USER.search(question) is not None


_OF_USER = re.compile(r"\bI\b|\b(?:me|my|mine|myself|the user)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")


def _relevance(candidate: Candidate, weights: Weights) -> float:
    """Return the match of the memory itself, in [0, 1]."""
    own = weights.similarity + weights.keyword
    matched = weights.similarity * candidate.similarity + weights.keyword * candidate.keyword
    return matched / own if own else 0.0


def _contiguity(
    candidates: Iterable[Candidate], relevance: Mapping[uuid.UUID, float], reach: int
) -> dict[uuid.UUID, float]:
    """The best match among the *other* episodes at most *reach* positions away in the session."""
    episodes = {(c.scope, c.session, c.position): c for c in candidates if c.kind == "episode"}
    best: dict[uuid.UUID, float] = defaultdict(float)
    for (scope, session, position), one in episodes.items():
        for step in range(1, reach + 1):
            if other := episodes.get((scope, session, position + step)):
                best[one.id] = max(best[one.id], relevance[other.id])
                best[other.id] = max(best[other.id], relevance[one.id])
    return best


def _boosted(ranked: Sequence[Ranked], within: timedelta, boost: float) -> list[Ranked]:
    """Add *boost* to each episode for which *another* of them happened *within* that time of it."""
    times = sorted((one.candidate.occurred, one.candidate.id) for one in ranked if one.candidate.kind == "episode")
    close = {id_ for pair in pairwise(times) if pair[1][0] - pair[0][0] <= within for _, id_ in pair}
    return [
        replace(one, score=min(1.0, one.score + boost), reasons={**one.reasons, "contiguity": boost})
        if one.candidate.id in close
        else one
        for one in ranked
    ]


def _provenance(candidates: Iterable[Candidate], relevance: Mapping[uuid.UUID, float]) -> dict[uuid.UUID, float]:
    """For a fact the best match among its episodes, for an episode the best among the typed facts drawn from it."""
    best: dict[uuid.UUID, float] = defaultdict(float)
    for fact in candidates:
        if fact.kind == "fact":
            for source in fact.sources:
                if fact.form != "statement":
                    best[source.episode] = max(best[source.episode], relevance[fact.id])
                best[fact.id] = max(best[fact.id], relevance.get(source.episode, 0.0))
    return best


def _ranked(candidate: Candidate, reasons: dict[str, float], weights: Weights) -> Ranked:
    score = (
        weights.similarity * reasons["similarity"]
        + weights.keyword * reasons["keyword"]
        + weights.association * max(reasons["contiguity"], reasons["provenance"])
        + weights.speaker * reasons["speaker"]
        + weights.recency * reasons["recency"]
    )
    return Ranked(candidate, min(1.0, max(0.0, score)), reasons)


def _salient(one: Ranked, by: Salience, standing: Standing | None) -> Ranked:
    """Give salience its share of the score."""
    candidate = one.candidate
    stands = standing or Standing("episodic", "stated", "", UNKNOWN, candidate.occurred)
    at = candidate.occurred + candidate.age
    salient = salience(stands, by, at=at, similarity=candidate.similarity)
    score = (1 - by.weight) * one.score + by.weight * salient
    return replace(one, score=score, reasons={**one.reasons, "salience": salient})


def _best_first(one: Ranked) -> tuple[float, timedelta, int, str, uuid.UUID]:
    candidate = one.candidate
    return -one.score, candidate.age, -candidate.position, candidate.kind, candidate.id
