"""The path of a question that does not read its scopes whole: which episodes it reads, and whether these suffice."""

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Connection

from slowwave.core.blocks.codes import Floats
from slowwave.core.blocks.estimate import Chosen, Counted, Estimate
from slowwave.core.blocks.laid import Laid
from slowwave.core.blocks.postings import Places, Shares
from slowwave.core.blocks.side import BESIDE, Side, side
from slowwave.store.blocks.driver import execute
from slowwave.store.blocks.kept import KEPT, Holding
from slowwave.store.recall import knowing
from slowwave.store.recall.question import Question
from slowwave.store.recall.row import with_sources
from slowwave.store.statements import sql

LEAST = 300
"""Episodes that are read, besides one of every 500: in tests, the best hundred were among them."""
ONE_OF = 500
WIDER = 4
"""If these do not suffice, this many times as many are read."""
READ_WHOLE = 5_000
"""If this many episodes would have to be read, the whole scope is read instead."""


def on_the_road(
    connection: Connection, scopes: Sequence[uuid.UUID], question: Question
) -> list[tuple[Any, ...]] | None:
    """Return the rows of the best answers to *question*, as the candidates statement gives; None if that must run."""
    connection.exec_driver_sql(
        "SET LOCAL plan_cache_mode = force_generic_plan"
    )  # all lookups are by key; planning would take longer
    rows = _on_the_road(connection, list(dict.fromkeys(scopes)), question)
    if rows is None:
        connection.exec_driver_sql("SET LOCAL plan_cache_mode = auto")
    return rows


def _on_the_road(
    connection: Connection, scopes: Sequence[uuid.UUID], question: Question
) -> list[tuple[Any, ...]] | None:
    dimensions = 0 if question.vector is None else len(question.vector)
    held = KEPT.read(connection, scopes, (question.asked["space"], dimensions), question.asked["now"])
    if held is None:
        return None
    sides = _sides(connection, question, held.laid)
    estimate = Estimate(sides, question.words, question.measures)
    facts, counted = _facts(connection, held, question, estimate)
    vector = None if question.vector is None else np.asarray(question.vector, np.float32)
    estimate.measure(vector, counted)
    many = max(LEAST + estimate.memories // ONE_OF, 2 * question.most)
    while True:
        chosen = estimate.choose(many)
        look = Look(connection, question, estimate, chosen)
        rows = look.best([row for row in facts if row[0] != "statement"])
        if look.suffices(rows):
            return sorted([*rows, *(row for row in facts if row[0] == "statement")], key=_order)
        many *= WIDER
        if many >= estimate.memories > READ_WHOLE:
            return None


class Look:
    """The episodes chosen from an estimate, with their exact stored values, arrays concatenated side by side."""

    def __init__(self, connection: Connection, question: Question, estimate: Estimate, chosen: Chosen) -> None:
        self._connection, self._question, self._chosen = connection, question, chosen
        parts = [
            _Part(one, at, *estimate.said(number, at), estimate.own(number, at), estimate.close(number, at))
            for number, (one, at) in enumerate(zip(estimate.sides, chosen.places, strict=True))
        ]
        self._of = [part.side.scope for part in parts for _ in part.places]
        self._positions = _end_to_end([part.side.laid.words.positions(part.places) for part in parts])
        self._received = _end_to_end([part.column("received") for part in parts])
        self._occurred = _end_to_end([part.column("occurred") for part in parts])
        self._shares = np.concatenate([part.shares for part in parts], axis=1) if parts else np.zeros((0, 0))
        self._saturations = _end_to_end([part.saturations for part in parts])
        self._keywords = np.minimum(1, self._shares.sum(axis=0) * self._saturations)
        self._similar = (
            _end_to_end([part.close for part in parts]).astype(np.float64) if estimate.exact else self._similarities()
        )
        by = question.measures
        self._own = by.similarity * self._similar + by.keyword * self._keywords
        self._off = float(np.abs(_end_to_end([part.estimated for part in parts]) - self._own).max(initial=0))
        begin, lifts = 0, []
        for part in parts:
            lifts.append(part.beside(self._own[begin : begin + len(part.places)]))
            begin += len(part.places)
        self._reached = self._own + by.lift * _end_to_end(lifts)
        self._may = _end_to_end([part.side.eligible[part.places] for part in parts]).astype(bool)
        self._also = _end_to_end([np.isin(part.places, part.side.also) for part in parts]).astype(bool)

    def best(self, facts: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Return the rows of the best of these episodes and of *facts*, at most as many as requested."""
        beside = set(self._question.beside)
        most = self._question.most + len(beside)
        order = np.lexsort((-self._occurred, -self._reached))
        rows = self._told(order[(self._may & self._also)[order]])
        rest = order[(self._may & ~self._also & (self._reached > 0))[order]]
        while len(rest) and len(rows) < most:
            more = most - len(rows)
            rows += self._told(rest[:more])
            rest = rest[more:]
        return sorted([*rows, *facts], key=lambda row: (row[1] not in beside, *_order(row)))[:most]

    def suffices(self, rows: Sequence[tuple[Any, ...]]) -> bool:
        """Return whether no omitted memory belongs among *rows*, given the error of the estimate."""
        if self._chosen.threshold <= 0:
            return True
        reached = [row[-1] for row in rows if row[1] not in self._question.beside]
        if len(reached) < self._question.most:
            return False
        worst = self._off * (1 + self._question.measures.lift)
        return bool(min(reached) >= self._chosen.threshold + worst)

    def _similarities(self) -> Shares:
        if self._question.vector is None or not self._of:
            return np.zeros(len(self._of))
        positions = self._positions.tolist()
        asked = {**self._question.asked, "of_scopes": self._of, "positions": positions}
        (row,) = execute(self._connection, sql("recall/likeness"), asked)
        near = self._question.near
        known = [
            near.get((scope, position), 0.0) if own is None else own
            for scope, position, own in zip(self._of, positions, row.similarities, strict=True)
        ]
        return np.maximum(0, np.array(known, np.float64))

    def _told(self, places: Places) -> list[tuple[Any, ...]]:
        """Read those of *places* that exist and are not archived, as rows of the candidates statement."""
        if not len(places):
            return []
        asked = {
            **self._question.asked,
            "of_scopes": [self._of[at] for at in places],
            "positions": self._positions[places].tolist(),
            "received": self._received[places].tolist(),
        }
        rows = execute(self._connection, sql("recall/told"), asked)
        return [self._row(row, places[row.ordinal - 1]) for row in rows if not row.put_by]

    def _row(self, row: Any, at: Any) -> tuple[Any, ...]:
        shares = self._shares[:, at]
        words = np.flatnonzero(shares)
        return (
            "episode", row.id, self._of[at], int(self._positions[at]), row.session, row.occurred, row.received,
            row.age_seconds, row.speaker, row.role, float(self._similar[at]), float(self._keywords[at]),
            row.key, "", None, (), False, words.tolist(), shares[words].tolist(), float(self._saturations[at]),
            row.ending, row.gist, float(self._reached[at]),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Part:
    """The chosen positions of one side, their words of the question, and their estimated match."""

    side: Side
    places: Places
    shares: Shares
    saturations: Shares
    estimated: Floats
    close: Floats

    def column(self, name: str) -> np.ndarray[Any, Any]:
        column: np.ndarray[Any, Any] = self.side.laid.words.columns[name][self.places]
        return column

    def beside(self, own: Shares) -> Shares:
        """Return for each place the best match of *own* next to it."""
        every = np.zeros(len(self.side.visible) + 2 * BESIDE)
        every[self.places + BESIDE] = own
        beside: Shares = np.max([every[self.places + BESIDE + step] for step in _STEPS], axis=0)
        return beside


def _end_to_end(parts: Sequence[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    return np.concatenate(parts) if parts else np.zeros(0)


_STEPS = tuple(step for step in range(-BESIDE, BESIDE + 1) if step)


def _order(row: tuple[Any, ...]) -> tuple[float, float, bool, uuid.UUID]:
    """Return the sort key of a row: the best match first, then the latest."""
    return -row[-1], -row[5].timestamp(), row[0] != "episode", row[1]


def _sides(connection: Connection, question: Question, laid: Mapping[uuid.UUID, Laid]) -> list[Side]:
    rows = connection.exec_driver_sql(
        sql("recall/put_away"), {"scopes": list(laid), "archived": question.filters.archived}
    ).all()
    put_away, also = defaultdict(list), defaultdict(list)
    for scope, session, until in rows:
        put_away[scope].append((session, until))
    if question.beside:
        asked = {"scopes": list(laid), "ids": list(question.beside)}
        for scope, position in connection.exec_driver_sql(sql("recall/places"), asked).all():
            also[scope].append(position)
    near: dict[uuid.UUID, dict[int, float]] = defaultdict(dict)
    for (scope, position), similarity in question.near.items():
        near[scope][position] = similarity
    return [
        side(scope, one, put_away=put_away[scope], filters=question.filters, near=near[scope], also=also[scope])
        for scope, one in laid.items()
    ]


def _facts(
    connection: Connection, held: Holding, question: Question, estimate: Estimate
) -> tuple[list[tuple[Any, ...]], Counted]:
    """Return the rows of the best facts, and the word counts of episodes and facts."""
    alone = {one.scope: min(users) for one in estimate.sides if len(users := one.laid.words.users) == 1}
    if not question.asked["of_user"]:
        alone = {}
    known = knowing.facts(connection, held, question, estimate, alone)
    return _scanned(connection, question, estimate, alone) if known is None else known


def _scanned(
    connection: Connection, question: Question, estimate: Estimate, alone: Mapping[uuid.UUID, str]
) -> tuple[list[tuple[Any, ...]], Counted]:
    """Return the same result from a scan of all facts."""
    lexemes = question.asked["lexemes"]
    rows = connection.exec_driver_sql(
        sql("recall/facts"),
        {
            **question.asked,
            "rest_memories": estimate.memories,
            "rest_length": estimate.length,
            "rest_found": [estimate.found[lexeme] for lexeme in lexemes],
            "alone_scopes": list(alone),
            "alone": list(alone.values()),
        },
    ).all()
    (first,) = (row for row in rows if row.rarities is not None)
    counted = Counted(first.scanned_length, dict(zip(lexemes, first.rarities, strict=True)))
    return [with_sources(tuple(row)[:_COLUMNS]) for row in rows if row.id is not None], counted


_COLUMNS = 23
"""The number of columns of the candidates statement."""
