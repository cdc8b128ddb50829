"""Ranking: orders memories by how well they answer a question, and fuses several orders by ranks."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from slowwave.core.recall import neighbours
from slowwave.core.recall.adjustments import by_fit, by_state, by_tense, read_with_questions, tier_position
from slowwave.core.recall.candidate import Ranked, Scores, best_first, deduplicated, is_asked, is_named, is_of_user
from slowwave.core.recall.candidates import Candidates
from slowwave.core.recall.outdated import asks_of_before
from slowwave.core.recall.routing import asks_for_several
from slowwave.core.recall.scored import Scored
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
_HALF_LIFE = RECENCY_HALF_LIFE / timedelta(microseconds=1)


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
    measures = {name: scored.reasons[name].tolist() for name in ("similarity", "keyword")}
    found = {
        one.id: {name: column[number] for name, column in measures.items()}
        for number, one in enumerate(scored.candidates.memories)
    }
    ranks = reciprocal(orders_of(found))
    scores = np.array([ranks.get(one.id, 0.0) for one in scored.candidates.memories])
    return scored.then(scores, {"ranks": scores})


def rank(
    candidates: Candidates,
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
    worded: Scores | None = None,
) -> list[Ranked]:
    """Return the best *candidates*, best first: up to *limit* memories, and *beyond* more after them.

    Of candidates with equal scores, the newest comes first. The neighbours of a memory in the session raise its match
    (`contiguity`). The facts drawn from an episode also raise the match of the episode, and the source episodes of a
    fact raise the match of the fact (`provenance`). The better of the two measures counts. *standings* has the states
    of memories (tier, strength, use) by id, and *saliences* has their salience if *scoring* uses salience. *called* has
    the name of each scope's user; facts about the user match that name, "I" and "the user". *times* are the times that
    the question names. *tenses* are the tenses of facts. *worded* has the similarity of facts word by word, and NaN for
    episodes.

    A statement repeats its episode with the speaker's name. It is not independent evidence; therefore it does not raise
    the episode's match, and the name counts only as one word. A memory that is a question scores lower if it is more
    similar to *question*. If *question* is only a list of words, questions are found too. A typed fact is currently
    believed; therefore it counts more than an episode with the same words, and the match of a conversation does not
    count for it. Of episodes with the same words, only the best is kept.
    """
    scoring = scoring or Scoring()
    weights = weighed(question, weights or scoring.weights)
    if not is_asked(question):
        candidates = candidates.but(asks=np.zeros(len(candidates), np.bool_))
    candidates = read_with_questions(candidates, weights.replies)
    lent, likeness = neighbours.passed_share(candidates), neighbours.likeness(candidates, weights, worded)
    matches = neighbours.relevance(candidates, likeness, weights, lent)
    neighbourhood = neighbours.Neighbourhood(candidates, matches, lent)
    ages = np.where(candidates.episodes, np.abs(candidates.ages), candidates.ages)
    scored = _scored(candidates, likeness, {
        "similarity": candidates.similarity,
        "keyword": neighbourhood.covered(weights.cover),
        "contiguity": neighbourhood.contiguity(scoring.contiguity.reach or 0),
        "provenance": neighbourhood.provenance(),
        "speaker": _spoken_of(candidates, question, called or {}, weights.retold),
        "recency": recency(ages),
        "conversation": neighbourhood.conversations(),
        **({} if worded is None else {"worded": worded}),
        **candidates.beside,
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


def recency(ages: NDArray[np.int64]) -> Scores:
    """Return the recency of memories of these *ages*, in microseconds: 1.0 for the present and the future, and half as
    much after every 30 days.

    For an episode that was told after the time of the question, the caller passes the absolute age.

    >>> recency(np.array([60 * 86_400_000_000, -1])).tolist()
    [0.25, 1.0]
    """
    recent: Scores = 0.5 ** (np.maximum(ages, 0) / _HALF_LIFE)
    return recent


def _scored(candidates: Candidates, likeness: Scores, reasons: dict[str, Scores], weights: Weights) -> Scored:
    """Return the scores of *candidates*: weighted sums of their *reasons* and their *likeness* to the question."""
    led = candidates.led
    scores = (
        weights.similarity * likeness
        + weights.keyword * reasons["keyword"]
        + weights.association * np.maximum(reasons["contiguity"], reasons["provenance"])
        + weights.speaker * reasons["speaker"]
        + weights.recency * reasons["recency"]
        + weights.conversation * reasons["conversation"]
        + weights.beside * led
        + weights.chain * ((led == WHOLE) & (reasons["speaker"] == 0))
    )
    typed = np.array([one.form == "typed" for one in candidates.memories], np.bool_)
    scores[typed] *= 1 + (weights.current - 1) * np.maximum(reasons["keyword"], led)[typed]
    scores[candidates.asks] *= 1 - candidates.similarity[candidates.asks] ** 2
    return Scored(candidates, scores.clip(0.0, 1.0), reasons)


def _spoken_of(candidates: Candidates, question: str, called: Mapping[uuid.UUID, str], retold: float) -> Scores:
    """Return the measure `speaker` of each candidate. It is above 0 if the question names the speaker or subject."""
    speakers = [one.speaker for one in candidates.memories]
    named = {speaker for speaker in {*speakers} if speaker and is_named(speaker, question)}
    spoken_of = np.array([speaker in named for speaker in speakers], np.bool_)
    if candidates.of_user.any():
        of_user = candidates.of_user
        if not is_of_user(question):
            asked = {scope.int for scope, name in called.items() if is_named(name, question)}
            of_user = of_user & np.array([one.scope.int in asked for one in candidates.memories])
        spoken_of |= of_user
    return np.where(spoken_of, np.where(candidates.statements, retold, 1.0), 0.0)
