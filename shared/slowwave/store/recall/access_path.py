"""Recall that reads only a part of each scope: it chooses episodes by an estimate, and verifies the choice."""

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Connection

from slowwave.core.blocks.codes import Floats
from slowwave.core.blocks.estimate import SPARE, Chosen, Counted, Estimate
from slowwave.core.blocks.scope_view import BESIDE, ScopeView, scope_view
from slowwave.core.blocks.words import Places, Shares, microseconds
from slowwave.core.recall.candidates import Candidates, Mask
from slowwave.store.blocks.binary_results import execute_binary
from slowwave.store.blocks.block_cache import BLOCK_CACHE, CachedScopes
from slowwave.store.recall import cached_facts, episode_candidates
from slowwave.store.recall.cached_facts import Lapsed
from slowwave.store.recall.episode_candidates import Found, Question, candidate, flat
from slowwave.store.statements import execute, sql

LEAST = 300
"""The number of episodes that are read first, besides one of every 500. In tests, they contained the best hundred."""
ONE_OF = 500
WIDER = 4
"""The factor by which more episodes are read if the first episodes gave fewer results than requested."""
NEAR = 0.008
"""The largest error of a fine estimate of a match, found in tests. Places this much below the last result are read."""
READ_WHOLE = 5_000
"""The maximum number of episodes of which all are read. To read all of more episodes, the candidates statement runs."""
_STEPS = tuple(step for step in range(-BESIDE, BESIDE + 1) if step)
_COLUMNS = 23
"""The number of columns of the candidates statement."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """The best answers to a question, and by scope the positions of episodes whose beliefs have ended (*lapsed*)."""

    candidates: Candidates
    lapsed: Lapsed


def indexed_candidates(connection: Connection, scopes: Sequence[uuid.UUID], question: Question) -> Indexed | None:
    """Return the answers that the candidates statement would give to *question*; None if the statement must run."""
    dimensions = 0 if question.vector is None else len(question.vector)
    space = question.asked["space"], dimensions
    cached = BLOCK_CACHE.read(connection, list(dict.fromkeys(scopes)), space, question.asked["now"])
    if cached is None:
        return None
    sides = _sides(connection, question, cached)
    estimate = Estimate(sides, question.words, question.measures)
    facts, counted, lapsed = _facts(connection, cached, question, estimate)
    vector = None if question.vector is None else np.asarray(question.vector, np.float32)
    estimate.measure(vector, counted)
    many = max(LEAST + estimate.memories // ONE_OF, 2 * question.most)
    if estimate.fine:
        many = max(estimate.above(estimate.refine(question.most) - NEAR), 2 * question.most)
    read = [np.full(len(one.visible), np.nan) for one in sides]
    while True:
        look = BlockSearch(connection, question, cached, estimate, estimate.choose(many), read)
        found = look.best(facts)
        if look.suffices(found) and (not estimate.fine or look.refined(found, estimate)):
            return Indexed(found.candidates, lapsed)
        many = look.wanted(found, estimate, many)
        if many >= estimate.memories > READ_WHOLE:
            return None


class BlockSearch:
    """The episodes chosen from an estimate, with exact measures. Each array joins the episodes of all scopes.

    A place is the index of an episode in the arrays of its scope. *read* has one array per scope, with the similarity
    at each place, or NaN if the similarity was not read yet.
    """

    def __init__(
        self, connection: Connection, question: Question, cached: CachedScopes, estimate: Estimate, chosen: Chosen,
        read: Sequence[Shares],
    ) -> None:  # fmt: skip
        self._connection, self._question, self._cached, self._chosen = connection, question, cached, chosen
        self._from_other_sources = {id_.int for id_ in question.beside}
        parts = [
            _Part(one, at, *estimate.keyword_shares(number, at), estimate.own[number][at], estimate.close[number][at])
            for number, (one, at) in enumerate(zip(estimate.sides, chosen.places, strict=True))
        ]
        self._scopes = [part.side.scope for part in parts]
        self._sides = np.repeat(np.arange(len(parts)), [len(part.places) for part in parts])
        self._positions = _end_to_end([part.side.laid.words.positions(part.places) for part in parts])
        self._received = _end_to_end([part.column("received") for part in parts])
        self._occurred = _end_to_end([part.column("occurred") for part in parts])
        self._shares = (
            np.concatenate([part.shares for part in parts], axis=1) if parts else np.zeros((len(question.words), 0))
        )
        self._saturations = _end_to_end([part.saturations for part in parts])
        self._keywords = np.minimum(1, self._shares.sum(axis=0) * self._saturations)
        self._similar = (
            _end_to_end([part.close for part in parts]).astype(np.float64)
            if estimate.exact
            else self._similarities(parts, read)
        )
        by = question.measures
        self._own = by.similarity * self._similar + by.keyword * self._keywords
        self._off = float(np.abs(_end_to_end([part.estimated for part in parts]) - self._own).max(initial=0))
        begin, lifts = 0, []
        for part in parts:
            lifts.append(part.best_of_neighbours(self._own[begin : begin + len(part.places)]))
            begin += len(part.places)
        self._reached = self._own + by.lift * _end_to_end(lifts)
        self._may = _end_to_end([part.side.eligible[part.places] for part in parts]).astype(bool)
        self._also = _end_to_end([np.isin(part.places, part.side.also) for part in parts]).astype(bool)

    def best(self, facts: Found) -> Found:
        """Return the best of these episodes and of *facts* in order, at most as many as requested, and all statements
        in *facts*.
        """
        most = self._question.most + len(self._from_other_sources)
        order = np.lexsort((-self._occurred, -self._reached))
        also = order[(self._may & self._also)[order]]
        rest = order[(self._may & ~self._also & (self._reached > 0))[order]]
        more = max(0, most - len(also))
        found, rest = self._found_at(np.concatenate([also, rest[:more]])), rest[more:]
        while len(rest) and (more := most - len(found.reached)) > 0:
            found, rest = found.then(self._found_at(rest[:more])), rest[more:]
        found = found.then(facts)
        order, statements = found.best_first(), found.candidates.statements
        best = order[~statements[order]]
        if self._from_other_sources:
            best = best[np.argsort(~self._asked_for(found)[best], kind="stable")]
        chosen = statements.copy()
        chosen[best[:most]] = True
        return found.only(order[chosen[order]])

    def suffices(self, found: Found) -> bool:
        """Return True if, within the error of the estimates, no omitted memory can be better than one of *found*."""
        if self._chosen.threshold <= 0:
            return True
        least = self._least(found)
        return least is not None and least >= self._chosen.threshold

    def refined(self, found: Found, estimate: Estimate) -> bool:
        """Return True if every place that may be better than one of *found* was estimated from its fine codes.

        If not, estimate these places.
        """
        reached = self._reached_by(found)
        full = len(reached) >= self._question.most
        least = float(reached.min()) if full else 0.0
        if least >= estimate.limit:
            return True
        estimate.refine(self._question.most, least)
        return False

    def wanted(self, found: Found, estimate: Estimate, many: int) -> int:
        """Return how many episodes to choose next, because *many* were too few: all that may be among the best."""
        least = self._least(found, SPARE)
        return WIDER * many if least is None else max(estimate.above(least), 2 * many)

    def _least(self, found: Found, spare: float = 1.0) -> float | None:
        """Return the least estimate of a memory that may be among the best; None if every memory may be."""
        reached = self._reached_by(found)
        if len(reached) < self._question.most:
            return None
        return float(reached.min()) - spare * self._off * (1 + self._question.measures.lift)

    def _reached_by(self, found: Found) -> Shares:
        """Return the matches of those of *found* that compete for a place among the results."""
        reached: Shares = found.reached[~self._asked_for(found) & ~found.candidates.statements]
        return reached

    def _asked_for(self, found: Found) -> Mask:
        """Return a mask of the candidates that other sources have found."""
        if not self._from_other_sources:
            return np.zeros(len(found.reached), np.bool_)
        return np.array([one.id.int in self._from_other_sources for one in found.candidates.memories], np.bool_)

    def _similarities(self, parts: Sequence["_Part"], read: Sequence[Shares]) -> Shares:
        if self._question.vector is None:
            return np.zeros(len(self._sides))
        known = _end_to_end([one[part.places] for one, part in zip(read, parts, strict=True)])
        new = np.flatnonzero(np.isnan(known))
        if len(new):
            sides, positions = self._sides[new].tolist(), self._positions[new].tolist()
            asked = {
                "vector": self._question.asked["vector"],
                "space": self._question.asked["space"],
                "side_scopes": self._scopes,
                "sides": [side + 1 for side in sides],
                "positions": positions,
            }
            (row,) = execute_binary(self._connection, sql("recall/similarities"), asked)
            near = self._question.near
            known[new] = [
                near.get((self._scopes[side], position), 0.0) if own is None else own
                for side, position, own in zip(sides, positions, row.similarities, strict=True)
            ]
            for number, (one, part) in enumerate(zip(read, parts, strict=True)):
                one[part.places] = known[self._sides == number]
        similarities: Shares = np.maximum(0, known)
        return similarities

    def _found_at(self, places: Places) -> Found:
        """Return the episodes at *places* that exist and are not archived."""
        columns = (self._sides, self._positions, self._received)
        sides, positions, received = (column[places].tolist() for column in columns)
        there = episode_candidates.episodes(self._connection, self._cached, self._question, sides, positions, received)
        rows = [row for row in there if row is not None]
        if len(rows) < len(there):
            places = places[[row is not None for row in there]]
        return Found(self._reached[places], Candidates(
            rows, microseconds(self._cached.now) - self._occurred[places], self._similar[places],
            self._keywords[places], self._saturations[places], self._shares[:, places].T,
            np.zeros(len(rows), np.bool_), np.array([row.asks for row in rows], np.bool_),
        ))  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Part:
    """The chosen episodes of one scope, by index (*places*), with the measures of each.

    *shares* has a row per word of the question.
    """

    side: ScopeView
    places: Places
    shares: Shares
    saturations: Shares
    estimated: Floats
    close: Floats

    def column(self, name: str) -> np.ndarray[Any, Any]:
        column: np.ndarray[Any, Any] = self.side.laid.words.columns[name][self.places]
        return column

    def best_of_neighbours(self, own: Shares) -> Shares:
        """Return, for each chosen episode, the best match of the neighbouring episodes.

        *own* has the matches of the episodes.
        """
        every = np.zeros(len(self.side.visible) + 2 * BESIDE)
        every[self.places + BESIDE] = own
        best: Shares = np.max([every[self.places + BESIDE + step] for step in _STEPS], axis=0)
        return best


def _end_to_end(parts: Sequence[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    return np.concatenate(parts) if parts else np.zeros(0)


def _sides(connection: Connection, question: Question, cached: CachedScopes) -> list[ScopeView]:
    put_away, also = defaultdict(list), defaultdict(list)
    if cached.hiding:
        asked = {"scopes": list(cached.hiding), "archived": question.filters.archived}
        for scope, session, until in execute_binary(connection, sql("recall/archived_positions"), asked):
            put_away[scope].append((session, until))
    if question.beside:
        asked = {"scopes": list(cached.laid), "ids": list(question.beside)}
        for scope, position in execute_binary(connection, sql("recall/places"), asked):
            also[scope].append(position)
    near: dict[uuid.UUID, dict[int, float]] = defaultdict(dict)
    for (scope, position), similarity in question.near.items():
        near[scope][position] = similarity
    return [
        scope_view(scope, one, put_away=put_away[scope], filters=question.filters, near=near[scope], also=also[scope])
        for scope, one in cached.laid.items()
    ]


def _facts(
    connection: Connection, cached: CachedScopes, question: Question, estimate: Estimate
) -> tuple[Found, Counted, Lapsed]:
    """Return the best facts, the word counts of all memories, and the positions with ended beliefs."""
    alone = {one.scope: min(users) for one in estimate.sides if len(users := one.laid.words.users) == 1}
    if not question.asked["of_user"]:
        alone = {}
    known = cached_facts.facts(connection, cached, question, estimate, alone)
    return (*_scanned(connection, question, estimate, alone), {}) if known is None else known


def _scanned(
    connection: Connection, question: Question, estimate: Estimate, alone: Mapping[uuid.UUID, str]
) -> tuple[Found, Counted]:
    """Return the best facts, and the word counts. A statement scans all facts."""
    words = flat(question.words)
    rows = execute(
        connection,
        "recall/facts",
        **question.asked,
        **words,
        rest_memories=estimate.memories,
        rest_length=estimate.length,
        rest_found=[estimate.found[lexeme] for lexeme in words["lexemes"]],
        alone_scopes=list(alone),
        alone=list(alone.values()),
    ).all()
    (first,) = (row for row in rows if row.rarities is not None)
    counted = Counted(first.scanned_length, dict(zip(words["lexemes"], first.rarities, strict=True)))
    there = [row for row in rows if row.id is not None]
    found = Candidates.of((candidate(*row[:_COLUMNS]) for row in there), len(question.words))
    return Found(np.array([row.reached for row in there], np.float64), found), counted
