"""Segments of sessions: running segments, completed segments, and the schedules that a completed segment fires."""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection

from slowwave.core.segments import EventGraph, EventNode, ShiftRule
from slowwave.domain.run import Run
from slowwave.domain.segment import RecordConversations, RunningSegment, Segment
from slowwave.store.database import Database
from slowwave.store.retention import conversations
from slowwave.store.runs import settling
from slowwave.store.schedule.schedule import fire_scope
from slowwave.store.statements import execute


class PostgresSegments:
    """The segments of sessions that are still running; *space* is the name of the embedding space."""

    def __init__(self, database: Database, space: str) -> None:
        self._database = database
        self._space = space

    def graphs(self, run: Run, sessions: Collection[str]) -> Mapping[str, EventGraph]:
        """Return the event graphs of *sessions* before the run's window; empty if no pack is due at the end of a
        segment.

        The most sensitive rule in force decides where segments end. The rule of each pack decides whether the end of a
        segment makes the pack due. Retried episodes come too late to be part of a segment.
        """
        if run.only or not run.segmented:
            return {}
        with self._database.tenant(run.tenant) as connection:
            rule = _finest_rule(connection)
            if rule is None:
                return {}
            stood = {segment.session: segment for segment in _running(connection, run.scope, sessions)}
            events = self._events(connection, run.scope, stood.values())
        return {session: _graph(session, rule, stood.get(session), events) for session in sorted(sessions)}

    def _events(
        self, connection: Connection, scope: uuid.UUID, segments: Iterable[RunningSegment]
    ) -> dict[int, EventNode]:
        positions = [position for segment in segments for position in (*segment.recent, *segment.before)]
        if not positions:
            return {}
        rows = execute(connection, "patterns/segment_events", scope=scope, positions=positions, space=self._space)
        return {
            position: EventNode(position, kind, None if vector is None else np.asarray(vector, np.float32))
            for position, kind, vector in rows
        }


def _finest_rule(connection: Connection) -> ShiftRule | None:
    rows = connection.exec_driver_sql(
        "SELECT threshold, min_events, reference FROM schedules WHERE kind = 'semantic_shift' AND NOT paused "
        "ORDER BY threshold, min_events, schedule"
    ).all()
    return ShiftRule(rows[0].threshold, min(row.min_events for row in rows), rows[0].reference) if rows else None


def _running(connection: Connection, scope: uuid.UUID, sessions: Collection[str]) -> Sequence[RunningSegment]:
    rows = connection.exec_driver_sql(
        "SELECT session, number, first, recent, before FROM running_segments "
        "WHERE scope = %(scope)s AND session = ANY(%(sessions)s::text[])",
        {"scope": scope, "sessions": list(sessions)},
    )
    return [
        RunningSegment(session, number, first, tuple(recent), tuple(before))
        for session, number, first, recent, before in rows
    ]


def _graph(
    session: str, rule: ShiftRule, segment: RunningSegment | None, events: Mapping[int, EventNode]
) -> EventGraph:
    if segment is None:
        return EventGraph(session, rule)
    recent, before = (
        [events[at] for at in positions if at in events] for positions in (segment.recent, segment.before)
    )
    return EventGraph(session, rule, segment.number, segment.first, recent, tuple(before))


@settling.write.register
def _heard(_effect: RecordConversations, connection: Connection, run: Run) -> None:
    conversations.heard(connection, run)


@settling.write.register
def _store_running(segment: RunningSegment, connection: Connection, run: Run) -> None:
    fields = _fields(segment) | {"recent": list(segment.recent), "before": list(segment.before)}
    execute(connection, "patterns/set_segment", scope=run.scope, **fields)


@settling.write.register
def _segment(segment: Segment, connection: Connection, run: Run) -> None:
    """Store a completed segment, and create intents for the packs that are due at the end of a segment."""
    connection.exec_driver_sql(
        "INSERT INTO segments (scope, session, number, tenant, first, last, distance) VALUES "
        "(%(scope)s, %(session)s, %(number)s, slowwave_tenant(), %(first)s, %(last)s, %(distance)s)",
        {"scope": run.scope, **_fields(segment)},
    )
    schedules = connection.exec_driver_sql(
        "SELECT schedule FROM schedules WHERE kind = 'semantic_shift' AND NOT paused AND threshold < %(distance)s "
        "AND min_events <= %(events)s ORDER BY job, pack",
        _fields(segment),
    )
    for name in schedules.scalars().all():
        key = f"{segment.session}/{segment.number}"
        fire_scope(connection, name, run.scope, run.tenant, key, by=run.owner, target=segment.last)


def _fields(value: Segment | RunningSegment) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__slots__}
