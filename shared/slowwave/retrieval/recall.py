"""Recall: answers a question with the memories that match best, and explains the effect of each measure."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from slowwave.core.recall import scoring as calibration
from slowwave.core.recall.candidate import Ranked
from slowwave.core.recall.explanation import measures, parts
from slowwave.core.recall.outdated import matter_of
from slowwave.core.recall.query import QUESTION_CHARACTERS, UNPREPARED, Apart, Near, Query, Unprepared, check
from slowwave.core.recall.ranking import weighed
from slowwave.core.recall.scoring import Scoring, Weights
from slowwave.core.recall.synonyms import RewrittenQuestion, words_of
from slowwave.core.recall.time_match import Resolve
from slowwave.domain.queries.filters import EVERYTHING, Filters
from slowwave.domain.recollection import Explained, Part, Recollections
from slowwave.domain.scope import Scope
from slowwave.errors import Unavailable
from slowwave.ports import Embedder, Vectors
from slowwave.ports.recall import Nearness, Scorers, embed_questions, is_slow
from slowwave.retrieval import stages
from slowwave.retrieval.stages import SEQUENTIAL, Beside, Found, Stopwatch
from slowwave.runtime import clock
from slowwave.store.recall.recall import Memories, TenantMemories

MOST = 5
"""The maximum number of paths that answer a question. The sixth best path matches too little of the question."""


def explained(
    query: Query, scoring: Scoring, found: Found, ranked: Sequence[Ranked], answered: Sequence[Ranked], watch: Stopwatch
) -> Explained:
    """Return how a query was *answered*: its candidates (*found*) and their ranking (*ranked*)."""
    named = {one.candidate.id for one in answered}
    stages = [
        replace(stage, answers=len(named & found.measures[stage.name].keys()))
        if stage.name in found.measures
        else stage
        for stage in watch.stages
    ]
    if any(SEQUENTIAL in one.reasons for one in answered):  # answers that are ordered by time have no weighted measures
        by = {one.candidate.id: [Part(SEQUENTIAL, 1.0, one.score, one.score)] for one in answered}
        return Explained(stages, measures(ranked, by), by)
    weights = weighed(query.question, query.weights or scoring.weights)
    by = {one.candidate.id: parts(one, weights, scoring) for one in answered}
    common = calibration.background([one.match or 0.0 for one in ranked], scoring.calibration)
    return Explained(stages, measures(ranked, by), by, common)


@dataclass(frozen=True, slots=True)
class Means:
    """Options of a recall: sources, scorers, synonyms, and whether to return an explanation (*explain*)."""

    sources: Mapping[str, Beside]
    scorers: Scorers | None
    nearness: Nearness | None
    watch: Stopwatch
    explain: bool


def recall(
    question: str,
    scopes: Sequence[Scope],
    *,
    store: Memories,
    embedder: Embedder,
    apart: Mapping[uuid.UUID, Embedder] | None = None,
    limit: int = 10,
    now: datetime | None = None,
    weights: Weights | None = None,
    filters: Filters = EVERYTHING,
    session: str | None = None,
    sources: Mapping[str, Beside] | None = None,
    nearness: Nearness | None = None,
    min_score: float = 0.0,
    scorers: Scorers | None = None,
    resolve: Resolve | None = None,
    explain: bool = False,
    restated: RewrittenQuestion | None = None,
) -> Recollections:
    """Return at most *limit* facts and episodes of *scopes* that answer *question* best, in order from the best.

    *apart* maps scopes in another embedding space to the embedder of that space. Only facts that are true at *now* can
    answer; the default is the time of the database. *scopes* belong to one tenant, and the first of these scopes is the
    caller's scope (see `reach`). Only memories that match *filters* answer. Recall embeds the newest 100 episodes
    without a vector. If the embedder is slow, recall finds these episodes only by words. *session* is the caller's
    session, for the audit log. *sources* return further candidates, and a measure for each candidate. The measure
    becomes a reason with the name of the source. *nearness* returns near synonyms of the question's words; a near
    synonym counts as a partial match. *min_score* leaves out memories with a lower score. *scorers* compute salience,
    if the tenant's policy uses it.

    *resolve* returns the time that words like "last May" mean; memories from that time rank higher. *explain* requests
    an explanation. *restated* has the question in other words, which count like the question's own words. While the
    embedder is unavailable, recall searches by words alone, and the answers say so. Raises `Incorrect` for an invalid
    question.
    """
    check(question, scopes, limit)
    question = question[:QUESTION_CHARACTERS]
    began, watch = clock.monotonic(), Stopwatch()
    apart = {id_: one for id_, one in (apart or {}).items() if one.space != embedder.space}
    statements = [matter_of(question), *(restated.statements if restated else ())]
    vector = _vectors_of_question(embedder, statements) if any(scope.id not in apart for scope in scopes) else None
    others = _vectors_in_other_spaces(statements, apart)
    away = (vector is None and len(apart) < len(scopes)) or any(one.away for one in others)
    asked = Query(
        question=question,
        scopes=scopes,
        vector=np.zeros(embedder.dimensions, np.float32) if vector is None else vector,
        space=embedder.space,
        limit=limit,
        now=now,
        weights=weights,
        filters=filters,
        session=session,
        began=began,
        near_words=[
            *(restated.near if restated else ()),
            *([] if nearness is None else nearness.near(words_of(statements[0]))),
        ],
        min_score=min_score,
        embedder_away=away,
        apart=others,
        resolve=resolve,
    )
    means = Means(sources or {}, scorers, nearness, watch, explain)
    watch.ended("embed")
    with store.reading(asked.tenant, asked) as memories:
        waiting, total = memories.unprepared(asked.ids, most=UNPREPARED, characters=QUESTION_CHARACTERS)
        waiting = [one for one in waiting if not is_slow(apart.get(one.scope, embedder))]
        if not waiting:
            return _answer(memories, asked, {}, total, means)

    near = _similarity_of_unprepared(asked, waiting, embedder, apart)  # no transaction is open during the embedding
    left = total if near is None else total - len(waiting)
    with store.reading(asked.tenant, asked) as memories:
        return _answer(memories, asked, near or {}, left, means)


def _answer(memories: TenantMemories, query: Query, near: Near, left: int, means: Means) -> Recollections:
    """Run the stages and return the answers; *left* is the number of episodes without a vector."""
    watch = means.watch
    watch.ended("unprepared", len(near))
    scoring = memories.scoring()
    sources = {**stages.route(query, scoring), **means.sources}
    watch.ended("route")
    found = stages.fuse(stages.candidates(memories, query, near, sources, scoring, watch), query)
    watch.ended("fuse", len(found.candidates))
    ranked = stages.rerank(memories, query, found, scoring, means.scorers, means.nearness)
    ranked = stages.outdate(memories, query, ranked, found.called)
    watch.ended("rerank", len(ranked))
    best = stages.surface(memories, stages.budget(ranked, query), scoring)
    contents = memories.contents(best)
    answered = [one for one in best if one.candidate.kind == "fact" or one.candidate.id in contents]
    watch.ended("budget", len(answered))
    memories.audit(query.question, query.scopes, answered, (clock.monotonic() - query.began) * 1000, query.session)
    watch.ended("audit")
    scopes = {scope.id: scope for scope in query.scopes}
    answers = (
        stages.explain(one, scopes[one.candidate.scope], contents, near, embedder_away=query.embedder_away)
        for one in answered
    )
    how = explained(query, scoring, found, ranked, answered, watch) if means.explain else None
    return Recollections(answers, by_words_alone=left, embedder_away=query.embedder_away, explained=how)


def _vectors_of_question(embedder: Embedder, texts: Sequence[str]) -> Vectors | None:
    """Return the normalised mean of the vectors of *texts*, the phrasings of a question.

    Return None while the embedder is unavailable.
    """
    try:
        vectors = embed_questions(embedder, texts)
    except Unavailable:
        return None
    if len(texts) == 1:
        only: Vectors = vectors[0]
        return only
    mean = vectors.mean(axis=0)
    meant: Vectors = (mean / (np.linalg.norm(mean) + 1e-32)).astype(np.float32)
    return meant


def _vectors_in_other_spaces(texts: Sequence[str], of: Mapping[uuid.UUID, Embedder]) -> list[Apart]:
    """Return a question's vector in each embedding space of *of*, with the scopes that use the space.

    *texts* are phrasings of the question. *of* maps each scope to its embedder. If an embedder is unavailable, the
    vector is zero, and `away` is True.
    """
    found = []
    for space, other in {one.space: one for one in of.values()}.items():
        meant = _vectors_of_question(other, texts)
        vector = np.zeros(other.dimensions, np.float32) if meant is None else meant
        found.append(Apart([id_ for id_, one in of.items() if one.space == space], vector, space, meant is None))
    return found


def _similarity_of_unprepared(
    query: Query, waiting: Sequence[Unprepared], embedder: Embedder, apart: Mapping[uuid.UUID, Embedder]
) -> Near | None:
    """Return the similarity of a question to each episode without a stored vector.

    Return None while the embedder is unavailable.

    If a worker embeds such an episode in the meantime, the stored vector is used.
    """
    near: dict[tuple[uuid.UUID, int], float] = {}
    for meaning in query.meanings:
        here = [one for one in waiting if one.scope in meaning.ids]
        if not here or not meaning.vector.any():
            continue
        try:
            vectors = apart.get(here[0].scope, embedder).embed([one.text for one in here])
        except Unavailable:
            return None
        pairs = zip(here, vectors, strict=True)
        near |= {(one.scope, one.position): float(meaning.vector @ vector) for one, vector in pairs if vector.any()}
    return near


def along_relations(memories: TenantMemories, query: Query) -> Mapping[uuid.UUID, float]:
    """Return the facts that the question's relations lead to in the graph, each with the score of its path."""
    return memories.led_to(query.ids, query.question, most=MOST, now=query.now)


def between_named(memories: TenantMemories, query: Query) -> Mapping[uuid.UUID, float]:
    """Return the facts that connect the named entities, with scores.

    Return an empty mapping if the question does not ask how entities are related.
    """
    return memories.connecting(query.ids, query.question, now=query.now) if query.route == "graph" else {}
