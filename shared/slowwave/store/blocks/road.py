"""The way a question takes: what of its scopes is looked at, and whether that was enough."""

import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Connection

from slowwave.core.blocks.estimate import Chosen, Estimate, Measures, Word
from slowwave.core.blocks.side import Side, side
from slowwave.domain.reading.filters import Filters
from slowwave.ports import Vectors
from slowwave.store.blocks.kept import KEPT
from slowwave.store.statements import sql

LEAST = 300
"""Packed episodes that are looked at, besides one of every 500: by trial, the first sixty are among them."""
ONE_OF = 500
WIDER = 4
"""Where that was not enough, so many times as many are."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the statement of candidates is asked it; *waiting* are the positions that have no vector yet."""

    words: Sequence[Word]
    vector: Vectors | None
    space: str
    most: int
    measures: Measures
    filters: Filters
    waiting: Sequence[tuple[uuid.UUID, int]] = ()


@dataclass(frozen=True, slots=True)
class Look:
    """The part of the memories that a statement looks at: *scopes* whole, of others what was chosen."""

    scopes: Sequence[uuid.UUID]
    sides: Sequence[Side] = ()
    estimate: Estimate | None = None
    chosen: Chosen | None = None

    def parameters(self) -> dict[str, Any]:
        """Return what is looked at as the parameters of the statement."""
        places = self.chosen.places if self.chosen else []
        columns = [
            (number, one.laid.words.positions(at), one.laid.words.columns["received"][at])
            for number, (one, at) in enumerate(zip(self.sides, places, strict=True), 1)
        ]
        unpacked = [(one.scope, lo, hi) for one in self.sides for lo, hi in one.unpacked()]
        return {
            "whole": list(self.scopes),
            "packed": [one.scope for one in self.sides],
            "chosen_of": _array([np.full(len(at), number) for number, at, _ in columns]),
            "chosen": _array([at for _, at, _ in columns]),
            "chosen_received": _array([received for *_, received in columns]),
            "unpacked": [scope for scope, _, _ in unpacked],
            "unpacked_lo": [lo for _, lo, _ in unpacked],
            "unpacked_hi": [hi for *_, hi in unpacked],
            "rest_memories": self.estimate.memories if self.estimate else 0,
            "rest_length": self.estimate.length if self.estimate else 0,
            "rest_words": list(self.estimate.found) if self.estimate else [],
            "rest_found": list(self.estimate.found.values()) if self.estimate else [],
            "users_scopes": [one.scope for one in self.sides for _ in one.laid.words.users],
            "users": [user for one in self.sides for user in sorted(one.laid.words.users)],
        }

    def suffices(self, found: Sequence[tuple[uuid.UUID, int, float, float]], most: int) -> bool:
        """Return whether nothing that was left out belongs among the first *most*, as far as the estimate's error goes.

        *found* are these, each with its scope, position, own match and what it reaches.
        """
        if self.estimate is None or self.chosen is None or self.chosen.threshold <= 0:
            return True
        if len(found) < most:
            return False
        off = [0.0]
        for n, one in enumerate(self.sides):
            mine = [(position, own) for scope, position, own, _ in found if scope == one.scope]
            estimates = self.estimate.own(n, [position for position, _ in mine])
            off.extend(np.abs(estimates - [own for _, own in mine])[~np.isnan(estimates)])
        worst = max(off) * (1 + self.estimate.measures.lift)
        return bool(min(reached for *_, reached in found) >= self.chosen.threshold + worst)


def looks(
    connection: Connection, scopes: Sequence[uuid.UUID], question: Question, *, whole: bool = False
) -> Iterator[Look]:
    """Give what is to be looked at for *question*, ever more of it; the last is everything, and always suffices.

    It is everything at once for a question that blocks know too little of, and where *whole* says so.
    """
    scopes = list(dict.fromkeys(scopes))
    dimensions = 0 if question.vector is None else len(question.vector)
    packed = not whole and question.filters.tiers is None
    if packed and (laid := KEPT.read(connection, scopes, (question.space, dimensions))):
        sides = _asked(connection, question, laid)
        vector = None if question.vector is None else np.asarray(question.vector, np.float32)
        estimate = Estimate(sides, question.words, vector, question.measures)
        small = [scope for scope in scopes if scope not in laid]
        many = max(LEAST + estimate.memories // ONE_OF, 2 * question.most)
        while many * WIDER < estimate.memories:
            yield Look(small, sides, estimate, estimate.choose(many))
            many *= WIDER
    yield Look(scopes)


def _asked(connection: Connection, question: Question, laid: Mapping[uuid.UUID, Any]) -> list[Side]:
    rows = connection.exec_driver_sql(
        sql("blocks/asked"),
        {
            "scopes": list(laid),
            "archived": question.filters.archived,
        },
    ).all()
    put_away, waiting = defaultdict(list), defaultdict(list)
    for scope, session, until in rows:
        put_away[scope].append((session, until))
    for scope, position in question.waiting:
        waiting[scope].append(position)
    return [
        side(scope, one, put_away=put_away[scope], filters=question.filters, also=waiting[scope])
        for scope, one in laid.items()
    ]


def _array(parts: Sequence[np.ndarray[Any, Any]]) -> str:
    """Return numbers as Postgres reads an array of them: in text, for a driver takes its time over each."""
    return "{" + ",".join(str(number) for part in parts for number in part.tolist()) + "}"
