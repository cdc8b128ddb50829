"""Candidates of a recall, read in one scan of its scopes."""

import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Connection

from slowwave.core.blocks.estimate import Measures
from slowwave.core.recall.candidate import Candidate, Ranked
from slowwave.core.recall.naming import is_of_user
from slowwave.core.recall.scoring import Bm25, Scoring, Weights
from slowwave.domain.claim import Form, Source
from slowwave.domain.episode import Role
from slowwave.domain.job_table import PREPARE, pack_of
from slowwave.domain.reading.filters import EVERYTHING, Filters
from slowwave.domain.recollection import Remembered
from slowwave.domain.scope import Scope
from slowwave.domain.standing import Standing
from slowwave.ports import Vectors
from slowwave.retrieval.reader import Near, Unprepared
from slowwave.store.audit import log as audit
from slowwave.store.beliefs.facts import source
from slowwave.store.beliefs.names import names_of_users
from slowwave.store.blocks.road import Question, looks
from slowwave.store.database import Database
from slowwave.store.graph.walking import connected, walked
from slowwave.store.policy import policy_of
from slowwave.store.standing import standing
from slowwave.store.statements import sql

MOST_WORDS = 62
"""Different words of a question that are looked for: each is tried on every memory of the scope, and is one bit."""

_TYPES = {"fact": "semantic", "episode": "episodic"}


class Memories:
    """Every memory of an installation, a tenant at a time: the `Memories` that recall asks for.

    With *whole* every scope is read whole, however large it is.
    """

    def __init__(self, database: Database, *, whole: bool = False) -> None:
        self._database, self._whole = database, whole

    @contextmanager
    def reading(self, tenant: str) -> Iterator["TenantMemories"]:
        with self._database.tenant(tenant) as connection:
            yield TenantMemories(connection, self._whole)


@dataclass(frozen=True, slots=True)
class TenantMemories:
    """A `Reader` of one tenant's memories, within a transaction."""

    connection: Connection
    whole: bool = False

    def unprepared(self, scopes: Sequence[uuid.UUID], *, most: int, characters: int) -> tuple[list[Unprepared], int]:
        """Return the newest *most* episodes of *scopes* that no worker has prepared, and how many there are in all.

        Of each text, so many *characters* from its beginning.
        """
        rows = self.connection.exec_driver_sql(
            sql("recall/unprepared"),
            {"scopes": list(scopes), "pack": pack_of(PREPARE), "most": most, "characters": characters},
        ).all()
        return [Unprepared(scope, position, text) for scope, position, text, _ in rows], rows[0][-1] if rows else 0

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
        beside: Collection[uuid.UUID] = (),
    ) -> list[Candidate]:
        """Return at most *most* memories of *scopes* and as many statements: what matches well or stands beside it.

        *vector* is the question's in *space*; without it words decide alone. Facts are those believed now and true at
        *now*, the database's time where it is None. What *filters* leave out is left out before the best are chosen;
        what was never used stands where the tenant's ladder begins. *unprepared* says how near the episodes lie that
        have no vector yet. *called* is what the user of each scope is called. The memories *beside* come along, however
        little they match.
        """
        near, called = unprepared or {}, called or {}
        words = Bm25()
        asked = {
            "scopes": list(scopes),
            "question": question,
            "vector": vector,
            "space": space,
            "most": most,
            "most_words": MOST_WORDS,
            "now": now,
            "k1": words.k1,
            "b": words.b,
            "similarity": weights.similarity,
            "keyword": weights.keyword,
            "lift": weights.lift,
            **filtering(filters),
            "near_scopes": [scope for scope, _ in near],
            "near_positions": [position for _, position in near],
            "near_similarities": list(near.values()),
            "called_scopes": list(called),
            "called": list(called.values()),
            "of_user": is_of_user(question),
            "beside": list(beside),
            "entry": policy_of(self.connection).ladder.entry,
            "shelved": filters.archived or not policy_of(self.connection).archives,
        }
        by = Measures(weights.similarity, weights.keyword, weights.lift, words.k1, words.b)
        put = Question(question, vector, space, most, MOST_WORDS, by, filters, list(near))
        for look in looks(self.connection, scopes, put, whole=self.whole):
            parameters = {**asked, **look.parameters()}
            rows = self.connection.exec_driver_sql(sql("recall/candidates"), parameters).all()
            best = (row for row in rows if row.form != "statement" and row.id not in beside)
            if look.suffices([_matched(row, weights) for row in best], most):
                break
        return [_candidate(*row[:-1]) for row in rows]

    def led_to(
        self, scopes: Sequence[uuid.UUID], question: str, *, most: int, now: datetime | None
    ) -> Mapping[uuid.UUID, float]:
        found = walked(self.connection, scopes, question, most=most, at=now)
        return {one.way.links[-1].fact: one.score for one in found}

    def connecting(
        self, scopes: Sequence[uuid.UUID], question: str, *, now: datetime | None
    ) -> Mapping[uuid.UUID, float]:
        return connected(self.connection, scopes, question, at=now)

    def names(self, scopes: Sequence[uuid.UUID]) -> Mapping[uuid.UUID, str]:
        return names_of_users(self.connection, scopes)

    def scoring(self) -> Scoring:
        return policy_of(self.connection).scoring

    def standings(self, candidates: Sequence[Candidate]) -> Mapping[uuid.UUID, Standing]:
        rows = self.connection.exec_driver_sql(
            sql("recall/standings"),
            {"scopes": [one.scope for one in candidates], "memories": [one.id for one in candidates]},
        )
        return {row["memory"]: standing.read(row) for row in rows.mappings()}

    def contents(self, ranked: Sequence[Ranked]) -> dict[uuid.UUID, tuple[str, int]]:
        episodes = [one.candidate for one in ranked if one.candidate.kind == "episode"]
        if not episodes:
            return {}
        rows = self.connection.exec_driver_sql(
            sql("recall/contents"),
            {
                "scopes": [episode.scope for episode in episodes],
                "positions": [episode.position for episode in episodes],
                "received": [episode.received for episode in episodes],
            },
        )
        return {id_: (text, ahead) for id_, text, ahead in rows}

    def audit(
        self, question: str, scopes: Sequence[Scope], found: Sequence[Ranked], latency_ms: float, session: str | None
    ) -> None:
        """Write an audit row of an answer, if reads are audited: where it looked, what it found and where."""
        kinds = {one.candidate.kind for one in found}
        audit.log_read(
            self.connection,
            question,
            memory_type=_TYPES[kinds.pop()] if len(kinds) == 1 else audit.ALL,
            searched=scopes,
            found={scope: [one.candidate.id for one in found if one.candidate.scope == scope.id] for scope in scopes},
            latency_ms=latency_ms,
            session=session,
        )


def _matched(row: Any, weights: Weights) -> tuple[uuid.UUID, int, float, float]:
    """The scope and position of a row, how well it matches by itself, and what it reaches."""
    own = weights.similarity * row.similarity + weights.keyword * row.keyword
    return row.scope, row.position, own, row.reached


def filtering(filters: Filters) -> dict[str, Any]:
    """Return *filters* as the parameters of a statement."""
    named = ("roles", "sessions", "exclude_sessions", "tiers")
    return {
        "archived": filters.archived,
        "forms": None if filters.kinds is None else _forms(filters.kinds),
        "since": filters.since,
        "until": filters.until,
        **{name: None if (chosen := getattr(filters, name)) is None else list(chosen) for name in named},
    }


def _forms(kinds: Collection[Remembered]) -> list[str]:
    """The forms of facts that *kinds* stand for, and `episode`."""
    both = ["typed", "statement"] if "fact" in kinds else []
    return [*both, *(kind for kind in kinds if kind != "fact")]


def _candidate(
    form: Form | Literal["episode"],
    id_: uuid.UUID,
    scope: uuid.UUID,
    position: int,
    session: str,
    occurred: datetime,
    received: datetime,
    age_seconds: float,
    speaker: str | None,
    role: Role | None,
    similarity: float,
    keyword: float,
    key: str,
    text: str,
    confidence: float | None,
    sources: list[list[Any]] | None,
    of_user: bool | None,
) -> Candidate:
    """One row, its columns in the statement's order: rows are many, and names cost."""
    return Candidate(
        "episode" if form == "episode" else "fact",
        id_,
        scope,
        position,
        session,
        occurred,
        received,
        timedelta(seconds=age_seconds),
        speaker,
        similarity,
        keyword,
        (Source(id_, key, position, 0, 0),) if form == "episode" else tuple(source(*each) for each in sources or ()),
        text,
        confidence,
        None if form == "episode" else form,
        bool(of_user),
        role,
    )
