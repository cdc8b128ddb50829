"""The stages between a question and its answers: candidates, fuse, rerank, budget, explain. One decides at a time."""

import uuid
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import timedelta, timezone
from typing import Protocol

from slowwave.core.recall.candidate import Candidate, Ranked
from slowwave.core.recall.ranking import rank
from slowwave.core.recall.scoring import Weights
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.retrieval.asking import Asked
from slowwave.retrieval.reader import Near, Reader

Called = Mapping[uuid.UUID, str]
"""What the user of each scope is called, where that is known."""

Measures = Mapping[str, Mapping[uuid.UUID, float]]
"""By name of a source of candidates, how well each memory answers by its own measure, in [0, 1]."""


class Beside(Protocol):
    """Another source of candidates: it knows nothing of words and vectors, and names memories by id."""

    def __call__(self, memories: Reader, asked: Asked) -> Mapping[uuid.UUID, float]:
        """Return the memories that may answer, by id, with how well each does, in [0, 1]."""


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates, what the user of each scope is called, and what other sources say of them."""

    candidates: Sequence[Candidate]
    called: Called
    measures: Measures


def candidates(memories: Reader, asked: Asked, near: Near, sources: Mapping[str, Beside]) -> Found:
    """Return what may answer: what one scan of the scopes finds, and what each of the other *sources* names."""
    measures = {name: source(memories, asked) for name, source in sources.items()}
    called = memories.names(asked.ids)
    found = memories.candidates(
        asked.ids,
        asked.question,
        asked.vector if asked.vector.any() else None,
        space=asked.space,
        most=asked.most,
        now=asked.now,
        weights=asked.weights or Weights(),
        filters=asked.filters,
        unprepared=near,
        called=called,
        beside=[id_ for measure in measures.values() for id_ in measure],
    )
    return Found(found, called, measures)


def fuse(found: Found, asked: Asked) -> Found:
    """Leave out what an agent knows everywhere and says in the same words in a channel: promoted, it is told once.

    What different agents believe, or one in different channels, all stays. What another source says of a memory stands
    beside its own measures.
    """
    whose = {scope.id: scope for scope in asked.scopes}
    facts = [(whose[one.scope], one.text) for one in found.candidates if one.kind == "fact"]
    said = {(scope.agent, text) for scope, text in facts if scope.channel != GLOBAL_CHANNEL}
    once = [one for one in found.candidates if one.kind != "fact" or not _told(whose[one.scope], one.text, said)]
    named = {name: measure for name, measure in found.measures.items() if measure}
    if named:
        once = [replace(one, beside={name: got.get(one.id, 0.0) for name, got in named.items()}) for one in once]
    return replace(found, candidates=once)


def rerank(memories: Reader, asked: Asked, found: Found) -> list[Ranked]:
    """Return the best candidates by the tenant's scoring, best first, at most the limit."""
    scoring = memories.scoring()
    standings = memories.standings(found.candidates) if scoring.salience else {}
    return rank(
        found.candidates, asked.question, limit=asked.limit, weights=asked.weights, scoring=scoring,
        standings=standings, called=found.called,
    )  # fmt: skip


def explain(one: Ranked, scope: Scope, contents: Mapping[uuid.UUID, tuple[str, int]], near: Near) -> Recollection:
    """Return one answer with its reasons and its sources."""
    candidate = one.candidate
    reasons = dict(one.reasons)
    text, sources, occurred = candidate.text, candidate.sources, candidate.occurred
    if candidate.kind == "episode":
        text, ahead = contents[candidate.id]
        occurred = occurred.astimezone(timezone(timedelta(seconds=ahead)))
        sources = [replace(source, end=len(text)) for source in sources]
        if (candidate.scope, candidate.position) in near:
            reasons["embedded_at_recall"] = 1.0
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
    )


def _told(scope: Scope, text: str, said: Set[tuple[str, str]]) -> bool:
    return scope.channel == GLOBAL_CHANNEL and (scope.agent, text) in said
