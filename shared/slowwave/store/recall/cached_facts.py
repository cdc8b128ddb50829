"""Facts that answer a question, from the cache of this process."""

import uuid
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from sqlalchemy import Connection

from slowwave.core.blocks.estimate import Counted, Estimate
from slowwave.core.blocks.facts import Matching, Rest
from slowwave.core.blocks.words import Places
from slowwave.core.recall.candidate import Candidate
from slowwave.domain.claim import Source
from slowwave.store.blocks.binary_results import execute_binary
from slowwave.store.blocks.block_cache import CachedScopes
from slowwave.store.blocks.fact_cache import FACT_CACHE, CachedFacts
from slowwave.store.recall.episode_candidates import Question, Row
from slowwave.store.statements import sql

Lapsed = Mapping[uuid.UUID, Set[int]]
"""The positions of the episodes of ended beliefs, by scope."""


def facts(
    connection: Connection, cached: CachedScopes, question: Question, estimate: Estimate, alone: Mapping[uuid.UUID, str]
) -> tuple[list[Row], Counted, Lapsed] | None:
    """Return the rows of the best facts of each form, the word counts, and the positions with ended beliefs.

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
    rows = _CachedFactSearch(connection, question, matching, known, cached.now, (names, alone)).best()
    return rows, matching.counted, {scope: one.facts.lapsed(cached.now) for scope, one in known.items()}


@dataclass(frozen=True, slots=True)
class _CachedFactSearch:
    """A search of cached facts for a question. *names* has the names of users, and the only speakers of scopes."""

    connection: Connection
    question: Question
    matching: Matching
    known: Mapping[uuid.UUID, CachedFacts]
    now: datetime
    names: Sequence[Mapping[uuid.UUID, str]]

    def best(self) -> list[Row]:
        """Return the rows of the best facts of each form that are not archived."""
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
                found += [at for at in more.tolist() if at in self._unarchived(more)]
            places += found
        return self._rows(np.array(places, np.int64))

    def _unarchived(self, places: Places) -> set[int]:
        """Return those of *places* (indexes of cached facts) whose facts are not archived; cache missing sources of the
        facts.
        """
        facts, sources = self.matching.at(places), [one.sources for one in self.known.values()]
        unread = [row.fact.int not in sources[side] for side, row in facts]
        if self.question.asked["shelved"] and not any(unread):
            return set(places.tolist())
        scopes = list(self.known)
        asked = {
            "of_scopes": [scopes[side] for side, _ in facts],
            "facts": [row.fact for _, row in facts],
            "unread": unread,
            "shelved": self.question.asked["shelved"],
        }
        there = set()
        rows = execute_binary(self.connection, sql("recall/fact_sources"), asked)
        for place, (side, row), backed in zip(places.tolist(), facts, rows, strict=True):
            if not backed.put_by:
                there.add(place)
            if backed.episodes is not None:
                sources[side][row.fact.int] = tuple(map(Source, *backed[1:]))
        return there

    def _rows(self, places: Places) -> list[Row]:
        by, now = self.matching, self.now
        sides = [
            (scope, one.facts, one.sources, {"user", *(names[scope].lower() for names in self.names if scope in names)})
            for scope, one in self.known.items()
        ]
        measured = (each[places].tolist() for each in (by.close, by.keywords, by.saturations, by.own))
        rows = []
        for (side, number), word_shares, close, keyword, saturation, own in zip(
            by.numbers(places), by.word_shares(places), *measured, strict=True
        ):
            scope, facts, sources, called = sides[side]
            row, occurred = facts.rows[number], facts.began[number]
            rows.append((own, Candidate(
                "fact", row.fact, scope, row.position, row.session, occurred, facts.learned[number], now - occurred,
                row.subject, close, keyword, sources.get(row.fact.int, ()), row.text, row.confidence, row.form,
                row.subject.lower() in called, shares=word_shares, saturation=saturation,
            )))  # fmt: skip
        return rows


def _lexemes(connection: Connection, called: Sequence[str]) -> Sequence[str]:
    """Return the stems of the names of users; an empty sequence if no name is known."""
    if not called:
        return ()
    (row,) = execute_binary(connection, sql("recall/lexemes"), {"called": list(called)})
    stems: Sequence[str] = row.lexemes
    return stems
