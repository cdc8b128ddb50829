"""Ranking: orders memories by how well they answer a question, from the measures of one scan."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from slowwave.core.recall import company
from slowwave.core.recall.candidate import Candidate, Ranked
from slowwave.core.recall.echo import answers, folded, is_asked, lends
from slowwave.core.recall.fitting import by_fit, read_with_questions
from slowwave.core.recall.fusing import by_ranks
from slowwave.core.recall.naming import is_named, is_of_user
from slowwave.core.recall.routing import asks_for_several
from slowwave.core.recall.scoring import Scoring, Weights
from slowwave.core.recall.standing import by_standing, by_tense, rung
from slowwave.core.recall.times import Span, by_time
from slowwave.domain.standing import Standing

BOOSTED_OF = 2
"""A flat boost is applied among this many times the limit."""

WHOLE = 1.0
"""The measure of a memory to which everything named in a question leads."""

RECENCY_HALF_LIFE = timedelta(days=30)
_HALF_LIFE_SECONDS = RECENCY_HALF_LIFE.total_seconds()


def rank(
    candidates: Sequence[Candidate],
    question: str,
    *,
    limit: int,
    beyond: int = 0,
    weights: Weights | None = None,
    scoring: Scoring | None = None,
    standings: Mapping[uuid.UUID, Standing] | None = None,
    saliences: Mapping[uuid.UUID, float] | None = None,
    called: Mapping[uuid.UUID, str] | None = None,
    times: Sequence[Span] = (),
    tenses: Mapping[uuid.UUID, str] | None = None,
    worded: Mapping[uuid.UUID, float] | None = None,
) -> list[Ranked]:
    """Return the best *limit* of *candidates*, best first; equal ones newest first, and *beyond* more after them.

    A memory's match is raised by its neighbours in the session (`contiguity`), and by the facts drawn from it or the
    episodes it was drawn from (`provenance`); the better of the two counts. *standings* are those of the memories that
    have one, by id, and *saliences* their salience if *scoring* uses it. *called* is the name of each scope's user:
    facts about the user match that name, "I" and "the user". *times* are those that the question names. *tenses* are
    those of facts.

    A statement repeats its episode with the speaker's name: it is not independent evidence and does not raise the
    episode's match, and the name counts only as one word. A question among the memories scores lower, the more similar
    it is to the asked one; bare words search questions too. A typed fact is currently believed: it counts for more than
    an episode with the same words, and does not depend on its conversation. Of episodes with the same words only the
    best is kept.
    """
    scoring = scoring or Scoring()
    weights = weighed(question, weights or scoring.weights)
    if not is_asked(question):
        candidates = [replace(one, asks=False) if one.asks else one for one in candidates]
    candidates = read_with_questions(candidates, weights.replies)
    lent = [lends(one) if one.asks else 1.0 for one in candidates]
    words = [worded.get(one.id) if worded and one.kind == "fact" else None for one in candidates]
    matches = [
        company.relevance(one, weights, said) * share for one, said, share in zip(candidates, words, lent, strict=True)
    ]
    kept = company.Company(candidates, matches, lent)
    measures = zip(
        candidates, words, kept.covered(weights.cover), kept.contiguity(scoring.contiguity.reach or 0),
        kept.provenance(), kept.conversations(), strict=True,
    )  # fmt: skip
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
                "keyword": keyword,
                "contiguity": contiguity,
                "provenance": provenance,
                "speaker": is_spoken_of(candidate) * (weights.retold if candidate.form == "statement" else 1.0),
                "recency": recency(candidate.age),
                "conversation": conversation,
                **({} if said is None else {"worded": said}),
                **candidate.beside,
            },
            weights,
        )
        for candidate, said, keyword, contiguity, provenance, conversation in measures
    ]
    if scoring.fusion == "ranks":
        ranked = by_ranks(ranked)
    ranked = by_fit(by_time(ranked, question, times, weights), question, weights)
    stands = standings or {}
    ranked = sorted(
        by_tense(by_standing(ranked, scoring, stands, saliences or {}), scoring, tenses or {}), key=_best_first
    )
    if (within := scoring.contiguity.within) and (boost := scoring.contiguity.boost):
        ranked = sorted(company.boosted(ranked[: BOOSTED_OF * limit], within, boost), key=_best_first)
    if scoring.strategy == "fast_first":
        ranked.sort(key=lambda one: rung(one, scoring, stands))
    return folded(ranked, limit + beyond)


def weighed(question: str, weights: Weights) -> Weights:
    """Return the weights for *question*: a question with many answers is searched more broadly."""
    return weights.broad() if asks_for_several(question) else weights


def recency(age: timedelta) -> float:
    """Return 1.0 for a memory of now or the future, halving every 30 days.

    >>> recency(timedelta(days=60))
    0.25
    """
    return 2.0 ** -(max(age.total_seconds(), 0.0) / _HALF_LIFE_SECONDS)


def _ranked(candidate: Candidate, reasons: dict[str, float], weights: Weights) -> Ranked:
    led = max(candidate.beside.values()) if candidate.beside else 0.0
    score = (
        weights.similarity * company.likeness(candidate, weights, reasons.get("worded"))
        + weights.keyword * reasons["keyword"]
        + weights.association * max(reasons["contiguity"], reasons["provenance"])
        + weights.speaker * reasons["speaker"]
        + weights.recency * reasons["recency"]
        + weights.conversation * reasons["conversation"]
        + weights.beside * led
        + weights.chain * (led == WHOLE and not reasons["speaker"])
    )
    if candidate.form == "typed":
        score *= 1 + (weights.current - 1) * max(reasons["keyword"], led)
    if candidate.asks:
        score *= answers(candidate)
    return Ranked(candidate, min(1.0, max(0.0, score)), reasons)


def _best_first(one: Ranked) -> tuple[float, timedelta, int, str, int]:
    candidate = one.candidate
    return -one.score, candidate.age, -candidate.position, candidate.kind, candidate.id.int
