"""Ranking: orders memories by how well they answer a question, and fuses several orders by ranks."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import islice

import numpy as np

from slowwave.core.recall import neighbours
from slowwave.core.recall.adjustments import by_fit, by_state, by_tense, read_with_questions, tier_position
from slowwave.core.recall.candidate import (
    Candidate,
    Column,
    Ranked,
    Scored,
    Scores,
    answers,
    best_first,
    deduplicated,
    is_asked,
    is_named,
    is_of_user,
    passed_share,
)
from slowwave.core.recall.outdated import asks_of_before
from slowwave.core.recall.routing import asks_for_several
from slowwave.core.recall.scoring import Scoring, Weights
from slowwave.core.recall.time_match import Span, by_time
from slowwave.domain.standing import Standing

DAMPING = 60
"""The number that is added to each rank, so that the first few ranks differ little (Cormack, Clarke and Büttcher
2009)."""
BOOSTED_OF = 2
"""The number of memories that may get a flat boost, as a multiple of the limit."""
WHOLE = 1.0
"""The measure of a memory to which everything named in a question leads."""
RECENCY_HALF_LIFE = timedelta(days=30)
_HALF_LIFE_SECONDS = RECENCY_HALF_LIFE.total_seconds()
_SUMMED = ("keyword", "contiguity", "provenance", "speaker", "recency", "conversation")


def reciprocal(orders: Sequence[Sequence[uuid.UUID]]) -> dict[uuid.UUID, float]:
    """Return the score of each memory, in (0, 1], from its ranks in *orders*.

    A memory that is first in all orders gets 1.0.

    >>> one, two = uuid.UUID(int=1), uuid.UUID(int=2)
    >>> [round(value, 3) for value in reciprocal([[one, two], [one]]).values()]
    [1.0, 0.492]
    """
    found: dict[uuid.UUID, float] = {}
    for order in orders:
        for place, memory in enumerate(order, 1):
            found[memory] = found.get(memory, 0.0) + (DAMPING + 1) / (DAMPING + place) / len(orders)
    return found


def orders_of(reasons: Mapping[uuid.UUID, Mapping[str, float]]) -> list[list[uuid.UUID]]:
    """Return two orders of memories, by similarity and by words, from their *reasons*.

    An order leaves out memories that score 0 in it.
    """
    return [
        sorted((id_ for id_, measures in reasons.items() if measures[by] > 0), key=lambda id_: (-reasons[id_][by], id_))
        for by in ("similarity", "keyword")
    ]


def by_ranks(scored: Scored) -> Scored:
    """Return *scored* with scores that are computed only from the ranks by similarity and by words.

    The reason is `ranks`.
    """
    measures = zip(scored.reasons["similarity"], scored.reasons["keyword"], strict=True)
    found = {
        one.id: {"similarity": similarity or 0.0, "keyword": keyword or 0.0}
        for one, (similarity, keyword) in zip(scored.candidates, measures, strict=True)
    }
    ranks = reciprocal(orders_of(found))
    scores = [ranks.get(one.id, 0.0) for one in scored.candidates]
    return scored.then(np.array(scores), {"ranks": scores})


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
    """Return the best *candidates*, best first: up to *limit* memories, and *beyond* more after them.

    Of candidates with equal scores, the newest comes first. The neighbours of a memory in the session raise its match
    (`contiguity`). The facts drawn from an episode also raise the match of the episode, and the source episodes of a
    fact raise the match of the fact (`provenance`). The better of the two measures counts. *standings* has the states
    of memories (tier, strength, use) by id, and *saliences* has their salience if *scoring* uses salience. *called* has
    the name of each scope's user; facts about the user match that name, "I" and "the user". *times* are the times that
    the question names. *tenses* are the tenses of facts.

    A statement repeats its episode with the speaker's name. It is not independent evidence; therefore it does not raise
    the episode's match, and the name counts only as one word. A memory that is a question scores lower if it is more
    similar to *question*. If *question* is only a list of words, questions are found too. A typed fact is currently
    believed; therefore it counts more than an episode with the same words, and the match of a conversation does not
    count for it. Of episodes with the same words, only the best is kept.
    """
    scoring = scoring or Scoring()
    weights = weighed(question, weights or scoring.weights)
    if not is_asked(question):
        candidates = [one.but(asks=False) if one.asks else one for one in candidates]
    candidates = read_with_questions(candidates, weights.replies)
    lent = [passed_share(one) if one.asks else 1.0 for one in candidates]
    word_similarities = [worded.get(one.id) if worded and one.kind == "fact" else None for one in candidates]
    likeness = np.array(
        [neighbours.likeness(one, weights, words) for one, words in zip(candidates, word_similarities, strict=True)]
    )
    neighbourhood = neighbours.Neighbourhood(
        candidates, neighbours.relevance(candidates, likeness, weights, lent), lent
    )
    beside = dict.fromkeys(name for one in candidates for name in one.beside)
    scored = _scored(candidates, likeness, {
        "similarity": [one.similarity for one in candidates],
        "keyword": neighbourhood.covered(weights.cover),
        "contiguity": neighbourhood.contiguity(scoring.contiguity.reach or 0),
        "provenance": neighbourhood.provenance(),
        "speaker": _spoken_of(candidates, question, called or {}, weights.retold),
        "recency": [recency(abs(one.age) if one.kind == "episode" else one.age) for one in candidates],
        "conversation": neighbourhood.conversations(),
        **({} if not worded else {"worded": word_similarities}),
        **{name: [one.beside.get(name, 0.0) for one in candidates] for name in beside},
    }, weights)  # fmt: skip
    if scoring.fusion == "ranks":
        scored = by_ranks(scored)
    scored = by_fit(by_time(scored, question, times, weights), question, weights)
    ranked: Iterable[Ranked] = scored.best_first()
    standing_by_id = standings or {}
    if scoring.uses_state or scoring.tenses:
        weighing = by_tense(by_state(list(ranked), scoring, standing_by_id, saliences or {}), scoring, tenses or {})
        ranked = best_first(weighing)
    if (within := scoring.contiguity.within) and (boost := scoring.contiguity.boost):
        ranked = best_first(neighbours.boosted_by_neighbours(list(islice(ranked, BOOSTED_OF * limit)), within, boost))
    if scoring.strategy == "fast_first":
        ranked = sorted(ranked, key=lambda one: tier_position(one, scoring, standing_by_id))
    return deduplicated(ranked, limit + beyond)


def weighed(question: str, weights: Weights) -> Weights:
    """Return the weights for *question*.

    A question with many answers is searched more broadly. If *question* asks for an earlier state, current beliefs get
    no higher score.
    """
    weights = replace(weights, current=1.0) if asks_of_before(question) else weights
    return weights.broad() if asks_for_several(question) else weights


def recency(age: timedelta) -> float:
    """Return the recency of a memory: 1.0 for the present and the future, and half as much after every 30 days.

    For an episode that was told after the time of the question, the caller passes the absolute age.

    >>> recency(timedelta(days=60))
    0.25
    """
    seconds = age.total_seconds()
    return 0.5 ** (seconds / _HALF_LIFE_SECONDS) if seconds > 0 else 1.0


def _scored(candidates: Sequence[Candidate], likeness: Scores, reasons: dict[str, Column], weights: Weights) -> Scored:
    """Return the scores of *candidates*: weighted sums of their *reasons* and their *likeness* to the question."""
    columns = {name: np.array(reasons[name], np.float64) for name in _SUMMED}
    led = np.array([max(one.beside.values()) if one.beside else 0.0 for one in candidates])
    scores = (
        weights.similarity * likeness
        + weights.keyword * columns["keyword"]
        + weights.association * np.maximum(columns["contiguity"], columns["provenance"])
        + weights.speaker * columns["speaker"]
        + weights.recency * columns["recency"]
        + weights.conversation * columns["conversation"]
        + weights.beside * led
        + weights.chain * ((led == WHOLE) & (columns["speaker"] == 0))
    )
    typed = np.array([one.form == "typed" for one in candidates], np.bool_)
    scores[typed] *= 1 + (weights.current - 1) * np.maximum(columns["keyword"], led)[typed]
    for number, one in enumerate(candidates):
        if one.asks:
            scores[number] *= answers(one)
    return Scored(candidates, scores.clip(0.0, 1.0), reasons)


def _spoken_of(
    candidates: Sequence[Candidate], question: str, called: Mapping[uuid.UUID, str], retold: float
) -> list[float]:
    """Return the measure `speaker` of each candidate. It is above 0 if the question names the speaker or subject."""
    named = {speaker: is_named(speaker, question) for speaker in {c.speaker for c in candidates if c.speaker}}
    asked = {scope for scope, name in called.items() if is_named(name, question)}
    of_user = is_of_user(question)
    return [
        (retold if one.form == "statement" else 1.0)
        if named.get(one.speaker or "", False) or (one.of_user and (of_user or one.scope in asked))
        else 0.0
        for one in candidates
    ]
