"""Facts that answer a question, from the cache of this process."""

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from slowwave.core.blocks.estimate import Counted, Estimate
from slowwave.core.blocks.facts import FactRow, Facts, Matching, Rest, meant
from slowwave.core.blocks.words import Places, microseconds
from slowwave.core.recall.candidate import Candidate
from slowwave.core.recall.candidates import Candidates
from slowwave.domain.claim import Source
from slowwave.store.blocks.binary_results import execute_binary
from slowwave.store.blocks.block_cache import CachedScopes, Edition, ScopeCache, Space, database_of
from slowwave.store.recall.episode_candidates import Found, Question
from slowwave.store.statements import sql

CACHE_BYTES = 64 * 2**20
"""The size limit for all scopes together. The least recently used scopes are dropped first. A fact takes about 3 kB."""
MOST_FACTS = 20_000
"""The maximum number of facts of a cached scope. A statement reads a larger scope, which would evict all others."""
MOST_MEANINGLESS = 500
"""The maximum number of facts without a cached vector whose vectors are looked up for a question."""

Read = dict[int, Candidate]
"""The facts that questions have read with their sources, by their number in the scope, as candidates without
measures."""


@dataclass(frozen=True, slots=True)
class CachedFacts:
    """The facts of a scope, with those that were *read* as candidates before. *edition* changes with the facts."""

    edition: Edition
    facts: Facts
    read: Read = field(default_factory=dict)

    @property
    def nbytes(self) -> int:
        return self.facts.nbytes


class FactCache(ScopeCache[CachedFacts]):
    """A cache of the facts of scopes, by scope and embedding space.

    Cached facts are used only if the database confirmed, in the caller's transaction, that no belief has changed since.
    """

    def read(
        self, connection: Connection, editions: Mapping[uuid.UUID, Edition], space: Space
    ) -> dict[uuid.UUID, CachedFacts] | None:
        """Return the facts of scopes in their *editions*; None if a scope has too many facts or too few vectors.

        The caller has read *editions* in the same transaction.
        """
        where = database_of(connection.engine)
        cached = self._cached(where, editions, space)
        stale = [
            scope for scope, edition in editions.items() if scope not in cached or cached[scope].edition != edition
        ]
        if stale:
            read = _read(connection, stale, space, cached, editions)
            if read is None:
                return None
            cached |= read
        found = {scope: cached[scope] for scope in editions}
        if any(one.facts.meaningless for one in found.values()):
            if sum(len(one.facts.meaningless) for one in found.values()) > MOST_MEANINGLESS:
                return None
            found = _vectors_needed(connection, found, space)
        self._keep({(where, scope, space): one for scope, one in found.items()})
        return found

    def _most_bytes(self) -> int:
        return CACHE_BYTES


def _read(
    connection: Connection,
    scopes: Sequence[uuid.UUID],
    space: Space,
    cached: Mapping[uuid.UUID, CachedFacts],
    editions: Mapping[uuid.UUID, Edition],
) -> dict[uuid.UUID, CachedFacts] | None:
    """Return the facts of *scopes*; read the facts that are not cached. Return None if a scope has too many facts."""
    rows = execute_binary(connection, sql("blocks/versions"), {"scopes": list(scopes)})
    versions = {row.scope: row.versions for row in rows}
    if any(len(each) > MOST_FACTS for each in versions.values()):
        return None
    had = {
        scope: cached[scope] for scope in scopes if scope in cached and cached[scope].edition[0] == editions[scope][0]
    }
    wanted = [
        version
        for scope, each in versions.items()
        for version in (set(each) - set(had[scope].facts.versions.tolist()) if scope in had else each)
    ]
    more: dict[uuid.UUID, list[FactRow]] = defaultdict(list)
    if wanted:
        asked = {"versions": wanted, "space": space[0], "dimensions": space[1]}
        for scope, *columns, embedding in execute_binary(connection, sql("blocks/facts"), asked):
            more[scope].append(FactRow(*(*columns, _vector(embedding))))
    found = {}
    for scope in scopes:
        edition, here = editions[scope], set(versions.get(scope, ()))
        if scope in had:
            facts = had[scope].facts.then(here, more[scope])
            before = {had[scope].facts.rows[at].version: one for at, one in list(had[scope].read.items())}
            read = {at: one for at, row in enumerate(facts.rows) if (one := before.get(row.version))}
            found[scope] = CachedFacts(edition, facts, read)
        else:
            found[scope] = CachedFacts(edition, Facts.laid(more[scope], space[1]))
    return found


def _vectors_needed(
    connection: Connection, found: Mapping[uuid.UUID, CachedFacts], space: Space
) -> dict[uuid.UUID, CachedFacts]:
    """Return *found*, with the vectors that were stored since the facts were cached."""
    lacking = [(scope, fact) for scope, one in found.items() for fact in one.facts.meaningless]
    of_scopes, facts = zip(*lacking, strict=True)
    asked = {"of_scopes": list(of_scopes), "facts": list(facts), "space": space[0], "dimensions": space[1]}
    rows = execute_binary(connection, sql("blocks/meanings"), asked)
    vectors = {row.fact: vector for row in rows if (vector := _vector(row.embedding)) is not None}
    if not vectors:
        return dict(found)
    return {
        scope: CachedFacts(one.edition, Facts.laid(meant(one.facts.rows, vectors), space[1]), one.read)
        for scope, one in found.items()
    }


def _vector(embedding: bytes | None) -> NDArray[Any] | None:
    return None if embedding is None else np.frombuffer(embedding, ">f4", offset=4).astype(np.float32)


FACT_CACHE = FactCache()
"""The cache of facts of this process."""


Lapsed = Mapping[uuid.UUID, Set[int]]
"""The positions of the episodes of ended beliefs, by scope."""


def facts(
    connection: Connection, cached: CachedScopes, question: Question, estimate: Estimate, alone: Mapping[uuid.UUID, str]
) -> tuple[Found, Counted, Lapsed] | None:
    """Return the best facts of each form, the word counts, and the positions with ended beliefs.

    Returns None if the SQL statement must run.

    *estimate* has the word counts of the episodes. *alone* has the only speaker of each scope in which only one user
    spoke.
    """
    if question.filters.roles is not None:
        return None
    space = question.asked["space"], 0 if question.vector is None else len(question.vector)
    known = FACT_CACHE.read(connection, cached.editions, space)
    if known is None:
        return None
    matching = Matching(
        [(scope, one.facts) for scope, one in known.items()],
        question.words,
        question.vector,
        rest=Rest(estimate.memories, estimate.length, estimate.found),
        called=_lexemes(connection, question.asked["called"]),
        measures=question.measures,
        now=cached.now,
    )
    names = dict(zip(question.asked["called_scopes"], question.asked["called"], strict=True))
    found = _CachedFactSearch(connection, question, matching, known, cached.now, (names, alone)).best()
    return found, matching.counted, {scope: one.facts.lapsed(cached.now) for scope, one in known.items()}


@dataclass(frozen=True, slots=True)
class _CachedFactSearch:
    """A search of cached facts for a question. *names* has the names of users, and the only speakers of scopes."""

    connection: Connection
    question: Question
    matching: Matching
    known: Mapping[uuid.UUID, CachedFacts]
    now: datetime
    names: Sequence[Mapping[uuid.UUID, str]]

    def best(self) -> Found:
        """Return the best facts of each form that are not archived."""
        matching, most = self.matching, self.question.most + len(self.question.beside)
        through = matching.let_through(self.question.filters)
        beside = matching.named(set(self.question.beside))
        forms = [matching.best(through & of_form, beside) for of_form in (~matching.statements, matching.statements)]
        there = self._unarchived(np.concatenate([each[:most] for each in forms]))
        places: list[int] = []
        for each in forms:
            found, rest = [at for at in each[:most].tolist() if at in there], each[most:]
            while len(found) < most and len(rest):
                more, rest = np.split(rest, [most - len(found)])
                there |= self._unarchived(more)
                found += [at for at in more.tolist() if at in there]
            places += found
        return self._found(np.array(places, np.int64), [there[place] for place in places])

    def _unarchived(self, places: Places) -> dict[int, Candidate]:
        """Return the candidates at those of *places* (indexes of cached facts) that are not archived; cache those that
        were not read before.
        """
        numbers, sides = self.matching.numbers(places), list(self.known.items())
        known = [sides[side][1].read.get(number) for side, number in numbers]
        if self.question.asked["shelved"] and None not in known:
            return dict(zip(places.tolist(), cast("list[Candidate]", known), strict=True))
        asked = {
            "of_scopes": [sides[side][0] for side, _ in numbers],
            "facts": [sides[side][1].facts.rows[number].fact for side, number in numbers],
            "unread": [one is None for one in known],
            "shelved": self.question.asked["shelved"],
        }
        there = {}
        rows = execute_binary(self.connection, sql("recall/fact_sources"), asked)
        for place, (side, number), one, backed in zip(places.tolist(), numbers, known, rows, strict=True):
            if one is None:
                scope, cached = sides[side]
                facts, row = cached.facts, cached.facts.rows[number]
                sources = () if backed.episodes is None else tuple(map(Source, *backed[2:]))
                one = cached.read[number] = Candidate(
                    "fact", row.fact, scope, row.position, row.session, facts.began[number], facts.learned[number],
                    timedelta(0), row.subject, 0.0, 0.0, sources, row.text, row.confidence, row.form,
                    corrects=backed.corrects,
                )  # fmt: skip
            if not backed.put_by:
                there[place] = one
        return there

    def _found(self, places: Places, facts: Sequence[Candidate]) -> Found:
        by = self.matching
        called = {
            scope.int: {"user", *(names[scope].lower() for names in self.names if scope in names)}
            for scope in self.known
        }
        of_user = [(one.speaker or "").lower() in called[one.scope.int] for one in facts]
        return Found(by.own[places], Candidates(
            facts, microseconds(self.now) - by.occurred[places], by.close[places].astype(np.float64),
            by.keywords[places], by.saturations[places], by.shares[:, places].T, np.array(of_user, np.bool_),
            np.zeros(len(facts), np.bool_),
        ))  # fmt: skip


def _lexemes(connection: Connection, called: Sequence[str]) -> Sequence[str]:
    """Return the stems of the names of users; an empty sequence if no name is known."""
    if not called:
        return ()
    (row,) = execute_binary(connection, sql("recall/lexemes"), {"called": list(called)})
    stems: Sequence[str] = row.lexemes
    return stems
