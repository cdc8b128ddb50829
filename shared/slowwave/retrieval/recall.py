"""Answer a question with what is remembered."""

import uuid
from collections.abc import Mapping, Sequence, Set
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from typing import Protocol

from slowwave import clock
from slowwave.core.ranking import Candidate, Ranked, Scoring, Weights, rank
from slowwave.domain.reading.filters import EVERYTHING, Filters
from slowwave.domain.recollection import Recollection, Recollections
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.domain.standing import Standing
from slowwave.domain.text import text_problems
from slowwave.errors import Incorrect
from slowwave.ports import Embedder, Vectors

OVERFETCH = 2
LEAST_CANDIDATES = 60
"""Read so many times the limit, and at least so many, before ranking: the moment and the facts around a memory decide
too, and they must be among what is ranked."""

QUESTION_CHARACTERS = 8_000
"""What is read of a question; an embedder reads about as much."""

LIMIT = 1_000

UNPREPARED = 100
"""So many of the newest episodes that no worker has prepared are embedded while the question waits: 5 ms of an
embedder that takes 40 µs a turn. A worker that is alive leaves fewer behind; without one, it bounds the wait."""

Near = Mapping[tuple[uuid.UUID, int], float]
"""How near episodes lie to a question, by scope and position: the cosine of their vectors."""


@dataclass(frozen=True, slots=True)
class Unprepared:
    """An episode that has no vector yet: its scope and position, and the beginning of its text."""

    scope: uuid.UUID
    position: int
    text: str


class Reader(Protocol):
    """One tenant's memories, within a transaction."""

    def unprepared(self, scopes: Sequence[uuid.UUID], *, most: int, characters: int) -> tuple[list[Unprepared], int]:
        """Return the newest *most* episodes that no worker has prepared, and how many there are in all."""

    def candidates(
        self,
        scopes: Sequence[uuid.UUID],
        question: str,
        vector: Vectors | None,
        *,
        space: str,
        most: int,
        now: datetime | None,
        weights: Weights,
        filters: Filters = EVERYTHING,
        unprepared: Near | None = None,
        called: Mapping[uuid.UUID, str] | None = None,
    ) -> list[Candidate]:
        """Return at most *most* memories that may answer, and as many statements; none that *filters* leave out.

        *unprepared* says how near the episodes lie that have no vector yet. *called* is what the user of each scope is
        called.
        """

    def names(self, scopes: Sequence[uuid.UUID]) -> Mapping[uuid.UUID, str]:
        """Return what the user of each scope is called, where that is known."""

    def scoring(self) -> Scoring:
        """Return the scoring by which this tenant's memories are ranked."""

    def standings(self, candidates: Sequence[Candidate]) -> Mapping[uuid.UUID, Standing]:
        """Return the standing of each of *candidates* that has one, by its id."""

    def contents(self, ranked: Sequence[Ranked]) -> Mapping[uuid.UUID, tuple[str, int]]:
        """Return the content of each episode of *ranked* and the speaker's seconds ahead of UTC, by its id."""

    def audit(
        self, question: str, scopes: Sequence[Scope], found: Sequence[Ranked], latency_ms: float, session: str | None
    ) -> None:
        """Write an audit row that *question* was answered with *found*, as far as reads are audited."""


class Memories(Protocol):
    """The memories of every tenant."""

    def reading(self, tenant: str) -> AbstractContextManager[Reader]:
        """Give a transaction that reads one tenant's memories."""


def recall(
    question: str,
    scopes: Sequence[Scope],
    *,
    store: Memories,
    embedder: Embedder,
    limit: int = 10,
    now: datetime | None = None,
    weights: Weights | None = None,
    filters: Filters = EVERYTHING,
    session: str | None = None,
) -> Recollections:
    """Return the facts and episodes of *scopes* that answer *question* best, best first, at most *limit*.

    Facts are those held true at *now*, the database's time where it is None. *scopes* belong to one tenant, the one
    the question was asked in first; see `reach`. What *filters* leave out never answers. Episodes that no worker has
    prepared yet are embedded here, the newest 100. *session* is where it was asked, for the audit. Raises `Incorrect`
    for a question that cannot be asked.
    """
    _check(question, scopes, limit)
    question = question[:QUESTION_CHARACTERS]
    asked = _Asked(
        question=question,
        scopes=scopes,
        vector=embedder.embed([question])[0],
        space=embedder.space,
        limit=limit,
        now=now,
        weights=weights or Weights(),
        filters=filters,
        session=session,
        began=clock.monotonic(),
    )
    with store.reading(asked.tenant) as memories:
        waiting, total = memories.unprepared(asked.ids, most=UNPREPARED, characters=QUESTION_CHARACTERS)
        if not waiting:
            return asked.answer(memories, {}, 0)

    near = _near(asked.vector, waiting, embedder)  # nothing is held open meanwhile
    with store.reading(asked.tenant) as memories:
        return asked.answer(memories, near, total - len(waiting))


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question, as it is put to the memories."""

    question: str
    scopes: Sequence[Scope]
    vector: Vectors
    space: str
    limit: int
    now: datetime | None
    weights: Weights
    filters: Filters
    session: str | None
    began: float

    @property
    def tenant(self) -> str:
        return self.scopes[0].tenant

    @property
    def ids(self) -> list[uuid.UUID]:
        return [scope.id for scope in self.scopes]

    def answer(self, memories: Reader, near: Near, left: int) -> Recollections:
        called = memories.names(self.ids)
        candidates = memories.candidates(
            self.ids,
            self.question,
            self.vector if self.vector.any() else None,
            space=self.space,
            most=max(OVERFETCH * self.limit, LEAST_CANDIDATES),
            now=self.now,
            weights=self.weights,
            filters=self.filters,
            unprepared=near,
            called=called,
        )
        merged, scoring = _merged(candidates, self.scopes), memories.scoring()
        standings = memories.standings(merged) if scoring.salience else {}
        best = rank(
            merged, self.question, limit=self.limit, weights=self.weights, scoring=scoring, standings=standings,
            called=called,
        )  # fmt: skip
        contents = memories.contents(best)
        found = [one for one in best if one.candidate.kind == "fact" or one.candidate.id in contents]
        memories.audit(self.question, self.scopes, found, (clock.monotonic() - self.began) * 1000, self.session)
        whose = {scope.id: scope for scope in self.scopes}
        answers = (_recollection(one, whose[one.candidate.scope], contents, near) for one in found)
        return Recollections(answers, by_words_alone=left)


def _near(asked: Vectors, waiting: Sequence[Unprepared], embedder: Embedder) -> Near:
    """Return how near unprepared episodes lie to a question. What is prepared meanwhile counts as it is stored."""
    if not asked.any():
        return {}
    vectors = embedder.embed([one.text for one in waiting])
    pairs = zip(waiting, vectors, strict=True)
    return {(one.scope, one.position): float(asked @ vector) for one, vector in pairs if vector.any()}


def _merged(candidates: Sequence[Candidate], scopes: Sequence[Scope]) -> list[Candidate]:
    """Leave out what an agent knows everywhere and says in the same words in a channel: promoted, it is told once.

    What different agents believe, or one in different channels, all stays.
    """
    whose = {scope.id: scope for scope in scopes}
    facts = [(whose[one.scope], one.text) for one in candidates if one.kind == "fact"]
    said = {(scope.agent, text) for scope, text in facts if scope.channel != GLOBAL_CHANNEL}
    return [one for one in candidates if one.kind != "fact" or not _told(whose[one.scope], one.text, said)]


def _told(scope: Scope, text: str, said: Set[tuple[str, str]]) -> bool:
    return scope.channel == GLOBAL_CHANNEL and (scope.agent, text) in said


def reach(scope: Scope) -> list[Scope]:
    """Return the scopes a question of *scope* looks in: that one, and the same agent's `_global` of the user."""
    everywhere = replace(scope, channel=GLOBAL_CHANNEL)
    return [scope] if scope == everywhere else [scope, everywhere]


def _check(question: str, scopes: Sequence[Scope], limit: int) -> None:
    problems = [f"question: {problem}" for problem in text_problems(question)]
    if not question.strip():
        problems.append("question: is empty")
    if not 1 <= limit <= LIMIT:
        problems.append(f"limit: must be 1 to {LIMIT}, got {limit}")
    if len({scope.tenant for scope in scopes}) != 1:
        problems.append("scopes: name one or more of a single tenant")
    if problems:
        raise Incorrect.listing("recall", problems, hint="ask in words, in the scopes of one tenant")


def _recollection(one: Ranked, scope: Scope, contents: Mapping[uuid.UUID, tuple[str, int]], near: Near) -> Recollection:
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
