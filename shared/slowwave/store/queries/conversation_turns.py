"""Conversations of several scopes with their latest messages, and unread turns: turns that no pack could read."""

from collections.abc import Collection, Sequence
from heapq import merge
from itertools import islice

from sqlalchemy import Connection

from slowwave.domain.job_table import PREPARE, pack_of
from slowwave.domain.queries.episode import RememberedEpisode
from slowwave.domain.queries.unread import ReadIn, UnreadTurn
from slowwave.domain.retention import Conversation
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.store.queries.episodes import AFTER_ALL, LAST, bound, remembered
from slowwave.store.statements import execute


def conversations(
    connection: Connection,
    scopes: Sequence[Scope],
    *,
    sessions: Collection[str] | None = None,
    archived: bool | None = None,
    after: Conversation | None = None,
    most: int,
) -> list[Conversation]:
    """Return the conversations of *scopes*, the most recent first. The page starts after the conversation *after*.

    *archived* selects archived conversations (True), unarchived conversations (False), or both (None).
    """
    rows = execute(
        connection,
        "queries/conversations",
        scopes=[scope.id for scope in scopes],
        pack=pack_of(PREPARE),
        sessions=None if sessions is None else list(sessions),
        archived=archived,
        last_at=after and after.last_at,
        scope=after and after.scope.id,
        session=after and after.session,
        most=most,
    )
    scopes_by_id = {scope.id: scope for scope in scopes}
    return [Conversation(scopes_by_id[scope], *columns) for scope, *columns in rows]


def keep(connection: Connection, run: Run, effect: ReadIn) -> None:
    """Delete the unread turns that the pack of *run* reads, and store unread turns that no pack in force reads."""
    span = {"scope": run.scope, "lo": run.lo, "hi": run.hi, "only": list(run.only) or None}
    execute(connection, "queries/languages_read", **span, languages=sorted(effect.languages) or None)
    if effect.unread:
        turns = {"positions": list(effect.unread), "languages": list(effect.unread.values())}
        execute(connection, "queries/add_unread", scope=run.scope, **turns)


def newest(
    connection: Connection, scopes: Sequence[Scope], *, most: int, before: RememberedEpisode | None = None
) -> list[UnreadTurn]:
    """Return at most *most* turns of *scopes* that no pack could read, newest first.

    If *before* is given, only turns before that episode are returned.
    """
    bounds = [bound(number, scopes, before, LAST, AFTER_ALL) for number in range(len(scopes))]
    asked = {
        "scopes": [scope.id for scope in scopes],
        "positions": [position for position, _ in bounds],
        "times": [time for _, time in bounds],
        "most": most,
    }
    found: dict[Scope, list[UnreadTurn]] = {scope: [] for scope in scopes}
    scopes_by_id = {scope.id: scope for scope in scopes}
    for row in execute(connection, "queries/unread", **asked).mappings():
        scope = scopes_by_id[row["scope"]]
        found[scope].append(UnreadTurn(remembered(row, scope), row["language"]))
    each = list(found.values())[::-1]
    return list(islice(merge(*each, key=lambda turn: turn.episode.received, reverse=True), most))


def languages(connection: Connection, scopes: Sequence[Scope]) -> dict[str, int]:
    """Return the number of turns of *scopes* that no pack could read, by language, the most frequent language first."""
    rows = execute(connection, "queries/unread_languages", scopes=[scope.id for scope in scopes])
    return {row.language: row.turns for row in rows}


def languages_since(connection: Connection, tenant: str, *, days: int) -> dict[str, int]:
    """Return, by language, the number of recent turns of *tenant* that no pack could read, the most frequent first.

    The turns of the last *days* are counted.
    """
    rows = execute(connection, "queries/unread_since", tenant=tenant, days=days)
    return {row.language: row.turns for row in rows}
