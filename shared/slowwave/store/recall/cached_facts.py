"""Facts that answer a question, from the cache of this process."""

import uuid
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast

import numpy as np
from sqlalchemy import Connection

from slowwave.core.blocks.estimate import Counted, Estimate
from slowwave.core.blocks.facts import Matching, Rest
from slowwave.core.blocks.words import Places, microseconds
from slowwave.core.recall.candidate import Candidate
from slowwave.core.recall.candidates import Candidates
from slowwave.domain.claim import Source
from slowwave.store.blocks.binary_results import execute_binary
from slowwave.store.blocks.block_cache import CachedScopes
from slowwave.store.blocks.fact_cache import FACT_CACHE, CachedFacts
from slowwave.store.recall.episode_candidates import Found, Question
from slowwave.store.statements import sql

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
