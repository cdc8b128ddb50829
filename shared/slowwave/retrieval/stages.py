"""The stages between a question and its answers: route, candidates, fuse, rerank, budget, explain."""

import uuid
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import UTC, timedelta, timezone

import numpy as np

from slowwave.core.recall import routing
from slowwave.core.recall import scoring as calibration
from slowwave.core.recall.candidate import Candidate, Ranked, Scores
from slowwave.core.recall.candidates import Candidates
from slowwave.core.recall.newer import last_first, news_first
from slowwave.core.recall.outdated import (
    Ended,
    above,
    asks_of_before,
    asks_of_past,
    asks_of_present,
    below,
    learned_later,
    own_words_first,
)
from slowwave.core.recall.query import Near, Query
from slowwave.core.recall.ranking import rank
from slowwave.core.recall.scoring import Scoring, levelled
from slowwave.core.recall.time_match import Span, spans
from slowwave.domain.queries.filters import EVERYTHING
from slowwave.domain.recollection import Recollection, Stage
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.ports.recall import Nearness, Scorers
from slowwave.retrieval.salience import saliences
from slowwave.runtime import clock
from slowwave.store.recall.recall import TenantMemories

LOOKED_THROUGH = 20
"""The number of memories ranked below the answers that are also checked for outdated turns."""
SEQUENTIAL: routing.Route = "sequential"
Called = Mapping[uuid.UUID, str]
"""The name of each scope's user, if known."""
Measures = Mapping[str, Mapping[uuid.UUID, float]]
"""For each source of candidates, by name, the scores of memories by the source's own measure, in [0, 1]."""
Beside = Callable[[TenantMemories, Query], Mapping[uuid.UUID, float]]
"""A source of candidates besides the scan by words and vectors: memories that may answer, each with a score in [0, 1].
"""


@dataclass(slots=True)
class Stopwatch:
    """The finished stages of a recall, with their durations. Each stage begins when the previous stage ends."""

    stages: list[Stage] = field(default_factory=list)
    last: float = field(default_factory=clock.monotonic)

    def ended(self, name: str, memories: int | None = None) -> None:
        """Record the end of the stage *name*, and the number of *memories* that are left after the stage."""
        now = clock.monotonic()
        self.stages.append(Stage(name, (now - self.last) * 1000, memories))
        self.last = now


@dataclass(frozen=True, slots=True)
class Found:
    """The candidates, the names of the scopes' users (*called*), and the scores from other sources (*measures*)."""

    candidates: Candidates
    called: Called
    measures: Measures


def route(query: Query, scoring: Scoring) -> Mapping[str, Beside]:
    """Return the additional source of candidates that the question needs, by name.

    Only a question about the latest episodes needs an additional source. Other questions use only the caller's sources.
    """
    sequential = query.route == SEQUENTIAL
    wanted = sequential and (scoring.routing == "keywords" or routing.names_nothing(query.question))
    return {SEQUENTIAL: _latest_messages} if wanted else {}


def candidates(
    memories: TenantMemories,
    query: Query,
    near: Near,
    sources: Mapping[str, Beside],
    scoring: Scoring,
    watch: Stopwatch,
) -> Found:
    """Return the candidates from one scan per embedding space of the scopes, and from each of the other *sources*."""
    measures = {}
    for name, source in sources.items():
        measures[name] = source(memories, query)
        watch.ended(name, len(measures[name]))
    called = memories.names(query.ids)
    scanned = [
        memories.candidates(
            where.ids,
            query.matter,
            where.vector if where.vector.any() else None,
            space=where.space,
            most=query.most,
            now=query.now,
            weights=query.weights or scoring.weights,
            filters=query.filters,
            unprepared=near,
            called=called,
            near_words=query.near_words,
            beside=[id_ for measure in measures.values() for id_ in measure],
        )
        for where in query.meanings
    ]
    found = scanned[0]
    if len(scanned) > 1:
        found = Candidates.of(levelled(scanned), found.shares.shape[1])
    watch.ended("scan", len(found))
    return Found(found, called, measures)


def fuse(found: Found, query: Query) -> Found:
    """Return *found* without facts of `_global` that the same agent believes in the same words in another channel.

    Equal beliefs of different agents all stay, and so do equal beliefs of one agent in different channels. The field
    `beside` of each memory gets the scores of the other sources.
    """
    once = found.candidates
    everywhere = {scope.id.int for scope in query.scopes if scope.channel == GLOBAL_CHANNEL}
    if len(query.scopes) > 1 and any(one.kind == "fact" and one.scope.int in everywhere for one in once.memories):
        scopes = {scope.id.int: scope for scope in query.scopes}
        facts = [(scopes[one.scope.int], one.text) for one in once.memories if one.kind == "fact"]
        known_texts = {(scope.agent, text) for scope, text in facts if scope.channel != GLOBAL_CHANNEL}
        stays = [
            one.kind != "fact" or not _is_repeat(scopes[one.scope.int], one.text, known_texts) for one in once.memories
        ]
        once = once if all(stays) else once.only(np.array(stays))
    if named := {name: measure for name, measure in found.measures.items() if measure}:
        once = once.found_beside(named)
    return replace(found, candidates=once)


def rerank(
    memories: TenantMemories,
    query: Query,
    found: Found,
    scoring: Scoring,
    scorers: Scorers | None = None,
    nearness: Nearness | None = None,
) -> list[Ranked]:
    """Return the best candidates by the tenant's *scoring*, in order from the best.

    Scores of different questions are comparable. For a question about the latest episodes, the newest episode comes
    first. If there are no episodes, the memories that match the question are returned. *scorers* compute salience, if
    the scoring uses it. *nearness* compares facts with the question word by word.
    """
    there = found.candidates.memories
    if last := found.measures.get(SEQUENTIAL):
        in_order = [one for one in found.candidates if one.id in last]
        return sorted(
            (Ranked(one, last[one.id], {SEQUENTIAL: last[one.id]}) for one in in_order), key=lambda one: -one.score
        )
    standings = memories.standings(there) if scoring.uses_state else {}
    by = scoring.salience
    salient = saliences(found.candidates, standings, query.question, by, scorers) if by else {}
    tenses = memories.tenses(there, query.now) if scoring.tenses else {}
    ranked = rank(
        found.candidates, query.question, limit=query.limit, beyond=calibration.TO, weights=query.weights,
        scoring=scoring, standings=standings, saliences=salient, called=found.called,
        times=_times(query, found.candidates), tenses=tenses, worded=_word_matches(query, found, scoring, nearness),
    )  # fmt: skip
    return calibration.calibrated(ranked, scoring.calibration)


def outdate(memories: TenantMemories, query: Query, ranked: Sequence[Ranked], called: Called) -> list[Ranked]:
    """Return *ranked* with outdated turns below current turns, unless the question asks about the past.

    If the question asks for the state before a change, outdated turns come first. *called* has the name of each scope's
    user.
    """
    if asks_of_past(query.question):
        first = above(ranked, _ended(memories, query, ranked)) if asks_of_before(query.question) else ranked
        return below(first, _corrected(memories, query, ranked))
    spoke = {one.candidate.speaker for one in ranked if one.candidate.kind == "episode" and one.candidate.speaker}
    ranked = news_first(ranked, _names(called, spoke))
    if asks_of_present(query.question):
        ranked = last_first(ranked)
    wrong = _corrected(memories, query, ranked)
    return own_words_first(below(ranked, {**wrong, **_ended(memories, query, ranked)}))


def _ended(memories: TenantMemories, query: Query, ranked: Sequence[Ranked]) -> Mapping[uuid.UUID, Ended]:
    """Return those of the best turns whose beliefs have ended."""
    turns = [one.candidate for one in ranked[: query.limit + LOOKED_THROUGH] if one.candidate.kind == "episode"]
    ended = memories.ended(turns, query.question, query.now) if turns else {}
    there = {one.candidate.id for one in ranked} if query.filters != EVERYTHING else None
    return {id_: end for id_, end in ended.items() if there is None or end.by.id in there}


def _corrected(memories: TenantMemories, query: Query, ranked: Sequence[Ranked]) -> Mapping[uuid.UUID, Ended]:
    """Return those of the best turns whose beliefs were corrected. A corrected belief was never true."""
    best = [one.candidate for one in ranked[: query.limit + LOOKED_THROUGH]]
    later = learned_later(best)
    turns = [one for one in best if one.kind == "episode"]
    return memories.corrected(turns, later, query.question, query.now) if later else {}


def budget(ranked: Sequence[Ranked], query: Query) -> list[Ranked]:
    """Return the answers that reach the minimum score of *query*, at most as many as *query* requests."""
    return [one for one in ranked if one.score >= query.min_score][: query.limit]


def surface(memories: TenantMemories, ranked: Sequence[Ranked], scoring: Scoring) -> list[Ranked]:
    """Return *ranked*.

    If *scoring* has `schematic_first`, facts about entities with many facts (schematic entities) come first.
    """
    if not scoring.schematic_first:
        return list(ranked)
    first = memories.schematic(ranked)
    return sorted(ranked, key=lambda one: one.candidate.id not in first)


def explain(
    one: Ranked, scope: Scope, contents: Mapping[uuid.UUID, tuple[str, int]], near: Near, *, embedder_away: bool = False
) -> Recollection:
    """Return one answer with its reasons and sources."""
    candidate = one.candidate
    reasons = dict(one.reasons)
    text, sources, occurred, until = candidate.text, candidate.sources, candidate.occurred, one.until
    if candidate.kind == "episode":
        text, ahead = contents[candidate.id]
        there = timezone(timedelta(seconds=ahead))
        occurred, until = occurred.astimezone(there), until and until.astimezone(there)
        sources = [replace(source, end=len(text)) for source in sources]
        if (candidate.scope, candidate.position) in near:
            reasons["embedded_at_recall"] = 1.0
    if embedder_away:
        reasons["embedder_away"] = 1.0
    return Recollection(
        kind=candidate.kind,
        id=candidate.id,
        text=text,
        score=one.score,
        reasons=reasons,
        sources=tuple(sources),
        occurred=occurred,
        confidence=candidate.confidence,
        scope=scope,
        form=candidate.form,
        session=candidate.session,
        role=candidate.role,
        match=one.match,
        until=until,
    )


def _latest_messages(memories: TenantMemories, query: Query) -> Mapping[uuid.UUID, float]:
    """Return scores for the newest episodes outside the caller's session. The newest episode has the score 1.0."""
    running = [] if query.session is None else [query.session]
    filters = replace(query.filters, exclude_sessions=[*(query.filters.exclude_sessions or ()), *running] or None)
    most = min(routing.asks_how_many(query.question) or query.limit, query.limit)
    last = memories.latest(query.scopes, filters, most=most)
    return {id_: 1 - number / len(last) for number, id_ in enumerate(last)}


def _times(query: Query, found: Sequence[Candidate]) -> Sequence[Span]:
    """Return the times that the question names ("last May"), resolved from the time at which the question is asked."""
    if query.resolve is None or not found:
        return []
    now = found[0].occurred + found[0].age
    zone = query.now.tzinfo if query.now else None
    return spans(query.question, now.astimezone(zone or UTC), query.resolve)


def _word_matches(query: Query, found: Found, scoring: Scoring, nearness: Nearness | None) -> Scores | None:
    """Return, for each fact, the share of the question's words, without speakers' names, that the fact matches; NaN for
    episodes.

    The result is None unless the vectors and the words use the same embedding space, because cosines of two spaces are
    not comparable.
    """
    weights = query.weights or scoring.weights
    if nearness is None or not weights.worded or {meaning.space for meaning in query.meanings} != {nearness.space}:
        return None
    facts = ~found.candidates.episodes
    if not facts.any():
        return None
    texts = [one.text for one in found.candidates.memories if one.kind == "fact"]
    shares = np.full(len(facts), np.nan)
    shares[facts] = nearness.says(query.matter, texts, _names(found.called, found.candidates.speakers))
    return shares


def _names(called: Called, speakers: Set[str]) -> set[str]:
    """Return the words of the names of users and *speakers*, in lower case."""
    return {word for name in {*speakers, *called.values()} for word in name.casefold().split()}


def _is_repeat(scope: Scope, text: str, known_texts: Set[tuple[str, str]]) -> bool:
    return scope.channel == GLOBAL_CHANNEL and (scope.agent, text) in known_texts
