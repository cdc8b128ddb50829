"""Ranking: which memories answer a question best, decided from what one scan of the scopes has measured."""

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
"""Where a flat boost is asked for, it decides among so many times the limit."""

WHOLE = 1.0
"""The measure of what all that a question names leads to."""

RECENCY_HALF_LIFE = timedelta(days=30)


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
    """Return the best *limit* of *candidates*, best first; of equals, what happened later stands first.

    So many *beyond* the limit come along behind them.

    A memory is lifted by the company it keeps: by what was said in the same moment (`contiguity`), and by the facts
    drawn from it or the episodes it was drawn from (`provenance`). The better of the two counts. *standings* say where
    memories stand, by their id, as far as they stand anywhere, and *saliences* what comes of it where *scoring* asks
    for salience. *called* is what the user of a scope is called: facts about them are named by that, and by "I" and
    "the user". *times* are those that the question speaks of. *tenses* are those of facts.

    A statement says the words of its episode again, with the name of whoever spoke: it is no second witness, which
    would lift the episode, and the name in it counts as a word and little more. What only asks is the less of an
    answer, the more it asks the same; words that ask nothing themselves look for it. What a typed fact says is believed
    now: it counts for more than what was once said in as many of the words, and for itself, whatever the conversation
    was about. Of episodes in the same words the best stands for all.
    """
    scoring = scoring or Scoring()
    weights = weighed(question, weights or scoring.weights)
    if not is_asked(question):
        candidates = [replace(one, asks=False) if one.asks else one for one in candidates]
    candidates = read_with_questions(candidates, weights.replies)
    lent = [lends(one) for one in candidates]
    words = [worded.get(one.id) for one in candidates] if worded else [None] * len(candidates)
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
    return folded(ranked)[: limit + beyond]


def weighed(question: str, weights: Weights) -> Weights:
    """Return the weights by which *question* is answered: what has many answers is asked for broadly."""
    return weights.broad() if asks_for_several(question) else weights


def recency(age: timedelta) -> float:
    """Return 1.0 for what happened just now (or lies ahead), halving every 30 days.

    >>> recency(timedelta(days=60))
    0.25
    """
    return float(2.0 ** -(max(age, timedelta(0)) / RECENCY_HALF_LIFE))


def _ranked(candidate: Candidate, reasons: dict[str, float], weights: Weights) -> Ranked:
    led = max(candidate.beside.values(), default=0.0)
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
    return Ranked(candidate, min(1.0, max(0.0, score * answers(candidate))), reasons)


def _best_first(one: Ranked) -> tuple[float, timedelta, int, str, uuid.UUID]:
    candidate = one.candidate
    return -one.score, candidate.age, -candidate.position, candidate.kind, candidate.id
