"""New facts from late turns, and the facts about later times that were learned before them and may end them."""

import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.reconsideration import Ending
from slowwave.core.fold import Version
from slowwave.core.late_arrivals.since import names
from slowwave.core.time_spans import END, Span
from slowwave.domain.job_table import RECONSIDER, pack_of
from slowwave.domain.run import Run
from slowwave.store.beliefs import held_facts
from slowwave.store.late_arrivals.since import turns_since
from slowwave.store.model_requests.requests import turns_at
from slowwave.store.statements import sql

OWN = pack_of(RECONSIDER)
"""The pack of the job's own deltas."""


def any_late(connection: Connection, run: Run, since: datetime | str) -> bool:
    """Return whether a window with late turns was consolidated since a given time."""
    asked = {"scope": run.scope, "pack": run.pack, "since": since}
    return bool(connection.exec_driver_sql(sql("reconsideration/any_late"), asked).scalar_one())


def told_since(
    connection: Connection, scope: uuid.UUID, news: Sequence[Version], matters: Matters
) -> tuple[set[uuid.UUID], list[Version]]:
    """Return the ids of those *news* that came late, and the facts about later times that packs learned before.

    Only facts from turns that share words with the news are returned.
    """
    occurred = occurred_at(connection, scope, news)
    known = [one for one in news if one.position in occurred]
    words = sorted({word for one in known for word in names(one, matters)})
    if not words:
        return set(), []
    earliest = min(occurred[one.position] for one in known)
    turns = turns_since(connection, scope, max(one.position for one in known), earliest, words)
    late = {
        one.fact: [
            turn.position for turn in turns if turn.position < one.position and occurred[one.position] < turn.occurred
        ]
        for one in known
    }
    positions = sorted({position for before in late.values() for position in before})
    found: dict[uuid.UUID, Version] = {}
    for row in _rows(connection, "facts_at", scope, positions=positions):
        found.setdefault(row.fact, held_facts.version(row))
    return {fact for fact, before in late.items() if before}, list(found.values())


def before_endings(
    connection: Connection, scope: uuid.UUID, beliefs: Sequence[Version], told: Collection[Version]
) -> tuple[list[Version], set[uuid.UUID], list[Ending]]:
    """Return *beliefs* without the ends that this job gave them because of the facts *told*, and two more lists.

    These are the ids of the beliefs that this job had ended, and the endings of typed beliefs by packs.
    """
    ids = sorted({one.ended_by for one in beliefs if one.ended_by is not None})
    by = {row.id: row for row in _rows(connection, "endings_by", scope, ids=ids)}
    over = [(one, by[one.ended_by]) for one in beliefs if one.ended_by in by]
    again = {one.position for one in told}
    until = {one.row: row.until or END for one, row in over if row.pack == OWN and row.position in again}
    typed = [(one, row) for one, row in over if one.form == "typed" and not row.pack.startswith("_")]
    now = held_facts.open_of_facts(connection, scope, [row.id for _, row in typed]) if typed else {}
    return (
        [replace(one, valid=Span(one.valid.start, until.get(one.row, one.valid.end))) for one in beliefs],
        {one.fact for one in beliefs if one.row in until},
        [Ending(now[row.id][0] if row.id in now else ended(one, row.id, row.position), one) for one, row in typed],
    )


def ended(earlier: Version, by: uuid.UUID, position: int) -> Version:
    """Return a new fact without words for the delta *by*, which ended *earlier* because of the turn at *position*."""
    return replace(earlier, fact=by, object="", text="", position=position, valid=Span(earlier.valid.end))


def occurred_at(connection: Connection, scope: uuid.UUID, told: Iterable[Version]) -> dict[int, datetime]:
    """Return the times at which the turns of the facts *told* occurred, by position."""
    turns = turns_at(connection, scope, sorted({one.position for one in told}))
    return {position: turn.occurred for position, turn in turns.items()}


def _rows(connection: Connection, name: str, scope: uuid.UUID, **asked: Sequence[Any]) -> Sequence[Any]:
    """Return the rows of a statement; none if all its parameters are empty."""
    if not any(asked.values()):
        return ()
    return connection.exec_driver_sql(sql(f"reconsideration/{name}"), {"scope": scope, **asked}).all()
