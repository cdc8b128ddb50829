"""The inbox as the push use case sees it: one transaction a batch, of one tenant."""

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from slowwave.domain.episode import Episode
from slowwave.domain.scope import SYSTEM_TENANT, Scope
from slowwave.ports import Stored
from slowwave.store import audit, inbox
from slowwave.store.database import Database
from slowwave.store.statements import sql

PUSH_SECONDS = 10.0
"""How long an agent waits for a database that does not answer, before it is told or its outbox takes over."""


class PostgresInbox:
    """An `Inbox`. It remembers which scopes are born, so that pushing to a known one costs no look-up."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._born: set[uuid.UUID] = set()

    def store(self, items: Sequence[tuple[Scope, Episode]]) -> tuple[list[Stored], list[tuple[uuid.UUID, str]]]:
        """Store *items* of one tenant; return one result an item and the (scope, job) pairs due at once."""
        scopes = {scope.id: scope for scope, _ in items}
        new = [scope for id_, scope in scopes.items() if id_ not in self._born]
        with self._database.tenant(items[0][0].tenant, deadline_seconds=PUSH_SECONDS) as connection:
            if new:
                inbox.give_birth(connection, new)
            stored, due = inbox.store(connection, items)
            _log(connection, items, stored)
        self._born.update(scopes)
        return stored, due

    def bury(self, item: Any, *, category: str, reason: str, scope: Scope | str | None, key: str | None = None) -> None:
        """Keep *item* as a dead letter with the *reason*; once, however often the same item comes.

        Its `episode` is the id the episode has, or would have had; where that cannot be told, one made from the item.
        """
        text = json.dumps(_storable(item), allow_nan=False)
        if len(text) > LETTER_BYTES:
            text = json.dumps({"bytes": len(text), "begins": text[:EXCERPT_BYTES]})
        owner = scope if isinstance(scope, Scope) else None
        episode = owner.episode_id(key) if owner and key else uuid.uuid5(uuid.NAMESPACE_OID, text)
        tenant = owner.tenant if owner else scope or SYSTEM_TENANT
        with self._database.tenant(str(tenant)) as connection:
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%(of)s)", {"of": episode.int >> 65})
            connection.exec_driver_sql(
                sql("push_bury"),
                {
                    "scope": owner.id if owner else None,
                    "episode": episode,
                    "category": category,
                    "reason": reason,
                    "item": text,
                },
            )


def _log(connection: Connection, items: Sequence[tuple[Scope, Episode]], stored: Sequence[Stored]) -> None:
    """Write an audit row a session, where every episode is audited: the inbox is its own record."""
    if audit.audits(connection, "verbose"):
        sessions: dict[tuple[uuid.UUID, str], list[uuid.UUID]] = {}
        for (scope, episode), one in zip(items, stored, strict=True):
            if one.state == "stored":
                sessions.setdefault((scope.id, episode.session), []).append(one.id)
        entries = [
            audit.Entry("store", "episodic", scope=scope, session=session, affected=ids)
            for (scope, session), ids in sessions.items()
        ]
        audit.log(connection, entries, level="verbose")


LETTER_BYTES = 2 * 1024 * 1024
"""More than any episode that can be stored takes as JSON; of what is larger only an excerpt is kept."""
EXCERPT_BYTES = 16 * 1024
DEEPEST = 100
"""Levels of nesting that are kept of an item: Postgres and Python both give up on far deeper ones."""


def _storable(item: Any, depth: int = 0) -> Any:
    """Return *item* without what JSON in Postgres cannot hold, so that even the worst message can be looked at."""
    if depth > DEEPEST:
        return "…"
    if isinstance(item, str):
        return item.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    if isinstance(item, Mapping):
        return {_storable(str(key)): _storable(value, depth + 1) for key, value in item.items()}
    if isinstance(item, list | tuple):
        return [_storable(value, depth + 1) for value in item]
    if isinstance(item, float) and (item != item or item in (float("inf"), float("-inf"))):
        return str(item)
    return item
