"""The stages between a question and its answers: route, candidates, fuse, rerank, budget, explain."""

import uuid
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, timedelta, timezone
from typing import Protocol

from slowwave.core.recall import calibration, routing
from slowwave.core.recall.calibration import levelled
from slowwave.core.recall.candidate import Candidate, Ranked
from slowwave.core.recall.newer import last_first, news_first
from slowwave.core.recall.outdated import asks_of_past, asks_of_present, below, own_words_first
from slowwave.core.recall.ranking import rank
from slowwave.core.recall.scoring import Scoring
from slowwave.core.recall.times import Span, spans
from slowwave.domain.reading.filters import EVERYTHING
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.ports.nearness import Nearness
from slowwave.ports.salience import Scorers
from slowwave.retrieval.asking import Apart, Asked
from slowwave.retrieval.reader import Near, Reader
from slowwave.retrieval.salience import saliences
from slowwave.retrieval.watch import Watch

LOOKED_THROUGH = 20
"""The number of places after the answers that are searched for outdated turns."""

SEQUENTIAL: routing.Route = "sequential"

Called = Mapping[uuid.UUID, str]
"""The name of each scope's user, if known."""

Measures = Mapping[str, Mapping[uuid.UUID, float]]
"""By name of a source of candidates, each memory's score by the source's own measure, in [0, 1]."""


class Beside(Protocol):
    """Another source of candidates: it uses no words or vectors, and returns memories by id."""

    def __call__(self, memories: Reader, asked: Asked) -> Mapping[uuid.UUID, float]:
        """Return the memories that may answer, by id, each with a score in [0, 1]."""


@dataclass(frozen=True, slots=True)
class Found:
    """The candidates, the names of the scopes' users, and the measures of other sources."""

    candidates: Sequence[Candidate]
    called: Called
    measures: Measures


def route(asked: Asked, scoring: Scoring) -> Mapping[str, Beside]:
    """Return the extra source that the question's words select besides the scan.

    Only the route of the latest episodes has one here; the other routes use the caller's sources.
    """
    sequential = asked.route == SEQUENTIAL
    wanted = sequential and (scoring.routing == "keywords" or routing.names_nothing(asked.question))
    return {SEQUENTIAL: _told_last} if wanted else {}


def candidates(
    memories: Reader, asked: Asked, near: Near, sources: Mapping[str, Beside], scoring: Scoring, watch: Watch
) -> Found:
    """Return the candidates: those of one scan of the scopes, and those of each of the other *sources*."""
    measures = {}
    for name, source in sources.items():
        measures[name] = source(memories, asked)
        watch.ended(name, len(measures[name]))
    called = memories.names(asked.ids)
    scanned = [_scanned(memories, asked, near, scoring, called, measures, one) for one in asked.meanings]
    found = levelled(scanned) if len(scanned) > 1 else scanned[0]
    watch.ended("scan", len(found))
    return Found(found, called, measures)


def _scanned(
    memories: Reader, asked: Asked, near: Near, scoring: Scoring, called: Called, measures: Measures, where: Apart
) -> list[Candidate]:
    """Return the candidates of one scan over the scopes that share an embedding space."""
    return memories.candidates(
        where.ids,
        asked.question,
        where.vector if where.vector.any() else None,
        space=where.space,
        most=asked.most,
        now=asked.now,
        weights=asked.weights or scoring.weights,
        filters=asked.filters,
        unprepared=near,
        called=called,
        near_words=asked.near_words,
        beside=[id_ for measure in measures.values() for id_ in measure],
    )


def fuse(found: Found, asked: Asked) -> Found:
    """Remove the `_global` copy of a fact that the same agent also holds in a channel in the same words.

    Beliefs of different agents, or of one agent in different channels, all stay. Each memory gets the measures of the
    other sources in `beside`.
    """
    once = list(found.candidates)
    if len(asked.scopes) > 1:
        whose = {scope.id.int: scope for scope in asked.scopes}
        facts = [(whose[one.scope.int], one.text) for one in once if one.kind == "fact"]
        said = {(scope.agent, text) for scope, text in facts if scope.channel != GLOBAL_CHANNEL}
        once = [one for one in once if one.kind != "fact" or not _told(whose[one.scope.int], one.text, said)]
    named = {name: measure for name, measure in found.measures.items() if measure}
    if named:
        once = [replace(one, beside={name: got.get(one.id, 0.0) for name, got in named.items()}) for one in once]
    return replace(found, candidates=once)


def rerank(
    memories: Reader,
    asked: Asked,
    found: Found,
    scoring: Scoring,
    scorers: Scorers | None = None,
    nearness: Nearness | None = None,
) -> list[Ranked]:
    """Return the best candidates by the tenant's *scoring*, best first; a score means the same for every question.

    On the route of the latest episodes the newest comes first; if there is none, matching memories answer. *scorers*
    compute salience, if the scoring uses it. *nearness* compares facts with the question word by word.
    """
    if last := found.measures.get(SEQUENTIAL):
        told = [one for one in found.candidates if one.id in last]
        return sorted(
            (Ranked(one, last[one.id], {SEQUENTIAL: last[one.id]}) for one in told), key=lambda one: -one.score
        )
    standings = memories.standings(found.candidates) if scoring.by_standing else {}
    by = scoring.salience
    salient = saliences(found.candidates, standings, asked.question, by, scorers) if by else {}
    tenses = memories.tenses(found.candidates, asked.now) if scoring.tenses else {}
    ranked = rank(
        found.candidates, asked.question, limit=asked.limit, beyond=calibration.TO, weights=asked.weights,
        scoring=scoring, standings=standings, saliences=salient, called=found.called,
        times=_times(asked, found.candidates), tenses=tenses, worded=_worded(asked, found, scoring, nearness),
    )  # fmt: skip
    return calibration.calibrated(ranked, scoring.calibration)


def outdate(memories: Reader, asked: Asked, ranked: Sequence[Ranked], called: Called) -> list[Ranked]:
    """Return *ranked* with outdated turns below current ones, unless the question asks about the past.

    *called* is the name of each scope's user.
    """
    if asks_of_past(asked.question):
        return list(ranked)
    ranked = news_first(ranked, _names(called, (one.candidate for one in ranked)))
    if asks_of_present(asked.question):
        ranked = last_first(ranked)
    turns = [one.candidate for one in ranked[: asked.limit + LOOKED_THROUGH] if one.candidate.kind == "episode"]
    ended = memories.ended(turns, asked.question, asked.now) if turns else {}
    if asked.filters != EVERYTHING:
        there = {one.candidate.id for one in ranked}
        ended = {id_: end for id_, end in ended.items() if end.by.id in there}
    return own_words_first(below(ranked, ended))


def budget(ranked: Sequence[Ranked], asked: Asked) -> list[Ranked]:
    """Return the answers that are good enough, at most as many as requested."""
    return [one for one in ranked if one.score >= asked.min_score][: asked.limit]


def surface(memories: Reader, told: Sequence[Ranked], scoring: Scoring) -> list[Ranked]:
    """Return *told* with the facts that name schematic entities first, if *scoring* says so."""
    if not scoring.schematic_first:
        return list(told)
    first = memories.schematic(told)
    return sorted(told, key=lambda one: one.candidate.id not in first)


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


def _told_last(memories: Reader, asked: Asked) -> Mapping[uuid.UUID, float]:
    """Return the newest episodes, the newest with 1.0; none of the session in which the question is asked."""
    running = [] if asked.session is None else [asked.session]
    filters = replace(asked.filters, exclude_sessions=[*(asked.filters.exclude_sessions or ()), *running] or None)
    most = min(routing.asks_how_many(asked.question) or asked.limit, asked.limit)
    last = memories.latest(asked.scopes, filters, most=most)
    return {id_: 1 - number / len(last) for number, id_ in enumerate(last)}


def _times(asked: Asked, found: Sequence[Candidate]) -> Sequence[Span]:
    """Return the times that the question names, relative to when it is asked, in that time's zone (else UTC)."""
    if asked.resolve is None or not found:
        return []
    now = found[0].occurred + found[0].age
    zone = asked.now.tzinfo if asked.now else None
    return spans(asked.question, now.astimezone(zone or UTC), asked.resolve)


def _worded(asked: Asked, found: Found, scoring: Scoring, nearness: Nearness | None) -> Mapping[uuid.UUID, float]:
    """Return how much of the question each fact matches word by word, without speakers' names.

    Only if vectors and words share an embedding space: cosines of another space are not comparable.
    """
    weights = asked.weights or scoring.weights
    if nearness is None or not weights.worded or {meaning.space for meaning in asked.meanings} != {nearness.space}:
        return {}
    facts = [one for one in found.candidates if one.kind == "fact"]
    said = nearness.says(asked.question, [one.text for one in facts], _names(found.called, found.candidates))
    return {one.id: share for one, share in zip(facts, said, strict=True)}


def _names(called: Called, found: Iterable[Candidate]) -> set[str]:
    """Return the words of the names of users and speakers, in lower case."""
    speakers = {one.speaker for one in found if one.kind == "episode" and one.speaker}
    return {word for name in {*speakers, *called.values()} for word in name.casefold().split()}


def _told(scope: Scope, text: str, said: Set[tuple[str, str]]) -> bool:
    return scope.channel == GLOBAL_CHANNEL and (scope.agent, text) in said
