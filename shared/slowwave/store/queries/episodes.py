"""Reads of episodes: the newest, the oldest, by id, and the nearest to a vector."""

import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta, timezone
from heapq import merge
from itertools import islice
from operator import attrgetter
from typing import Any

from sqlalchemy import Connection

from slowwave.domain.queries.episode import EpisodeFilters, RememberedEpisode
from slowwave.domain.scope import Scope
from slowwave.ports import Vectors
from slowwave.store.statements import execute

MICROSECOND = timedelta(microseconds=1)
"""The smallest difference between two times in the database."""
FIRST, LAST = 0, 2**63 - 1
_FIELDS = (
    "id", "key", "position", "received", "occurred", "utc_offset", "session", "role", "kind", "speaker", "content",
    "metadata",
)  # fmt: skip
BEFORE_ALL, AFTER_ALL = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)


def newest(
    connection: Connection,
    scopes: Sequence[Scope],
    filters: EpisodeFilters,
    *,
    most: int,
    before: RememberedEpisode | None = None,
) -> list[RememberedEpisode]:
    """Return at most *most* episodes of *scopes*, newest first; with *before*, only episodes before that episode.

    The order is by position within a scope, and by time of receipt across scopes.
    """
    bounds = [bound(number, scopes, before, LAST, AFTER_ALL) for number in range(len(scopes))]
    found = _found(connection, "queries/newest", scopes, bounds, filters, most)
    return list(islice(merge(*found[::-1], key=attrgetter("received"), reverse=True), most))


def oldest(
    connection: Connection,
    scopes: Sequence[Scope],
    filters: EpisodeFilters,
    *,
    most: int,
    after: RememberedEpisode | None = None,
) -> list[RememberedEpisode]:
    """Return at most *most* episodes of *scopes*, oldest first; with *after*, only episodes after that episode."""
    bounds = [bound(number, scopes, after, FIRST, BEFORE_ALL) for number in range(len(scopes))]
    found = _found(connection, "queries/oldest", scopes, bounds, filters, most)
    return list(islice(merge(*found, key=attrgetter("received")), most))


def by_ids(connection: Connection, scopes: Sequence[Scope], ids: Iterable[uuid.UUID]) -> list[RememberedEpisode]:
    """Return the episodes of *scopes* with these ids, in order of scope and position."""
    rows = execute(connection, "queries/by_ids", scopes=[scope.id for scope in scopes], ids=list(ids))
    scopes_by_id = {scope.id: scope for scope in scopes}
    return [remembered(row, scopes_by_id[row["scope"]]) for row in rows.mappings()]


def nearest(
    connection: Connection, scopes: Sequence[Scope], vector: Vectors, *, space: str, most: int, since: datetime | None
) -> list[RememberedEpisode]:
    """Return at most *most* episodes of *scopes*, the nearest to *vector* in *space* first.

    Only episodes that have a vector and occurred at *since* or later are searched. Archived episodes are left out.
    """
    if not vector.any():
        return []
    scopes_by_id = {scope.id: scope for scope in scopes}
    where = {"scopes": list(scopes_by_id), "vector": vector, "space": space, "most": most, "since": since}
    rows = execute(connection, "queries/nearest", **where)
    return [remembered(row, scopes_by_id[row["scope"]]) for row in rows.mappings()]


def bound(
    number: int, scopes: Sequence[Scope], cursor: RememberedEpisode | None, position: int, time: datetime
) -> tuple[int, datetime]:
    """Return the start of a page in scope *number*: a position in the cursor's own scope, a time in other scopes.

    Of episodes received at the same time, the episodes of an earlier scope come first.
    """
    if cursor is None:
        return position, time
    own = scopes.index(cursor.scope)
    if number == own:
        return cursor.position, time
    return position, cursor.received + (MICROSECOND if number < own else timedelta())


def _found(
    connection: Connection,
    statement: str,
    scopes: Sequence[Scope],
    bounds: Sequence[tuple[int, datetime]],
    filters: EpisodeFilters,
    most: int,
) -> list[list[RememberedEpisode]]:
    """Return the episodes that *statement* finds in each scope, in the order of *statement*."""
    rows = execute(
        connection,
        statement,
        **{name: list(one) if isinstance(one, Collection) else one for name, one in asdict(filters).items()},
        scopes=[scope.id for scope in scopes],
        positions=[position for position, _ in bounds],
        times=[time for _, time in bounds],
        most=most,
    )
    found: dict[uuid.UUID, list[RememberedEpisode]] = {scope.id: [] for scope in scopes}
    scopes_by_id = {scope.id: scope for scope in scopes}
    for row in rows.mappings():
        found[row["scope"]].append(remembered(row, scopes_by_id[row["scope"]]))
    return list(found.values())


def remembered(row: Any, scope: Scope) -> RememberedEpisode:
    """Return the episode of *scope* in a row; ignore columns that are not fields of an episode."""
    fields = {name: row[name] for name in _FIELDS} | {"scope": scope}
    ahead = timezone(timedelta(seconds=fields.pop("utc_offset")))
    return RememberedEpisode(**{**fields, "occurred": fields["occurred"].astimezone(ahead)})
