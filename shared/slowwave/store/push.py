"""The inbox as the push use case sees it: one transaction a batch, of one tenant."""

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from slowwave.domain.episode import Episode
from slowwave.domain.scope import SYSTEM_TENANT, Scope
from slowwave.ports import Stored
from slowwave.store import inbox
from slowwave.store.database import Database


class PostgresInbox:
    """An `Inbox`. It remembers which scopes are born, so that pushing to a known one costs no look-up."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._born: set[uuid.UUID] = set()

    def store(self, items: Sequence[tuple[Scope, Episode]]) -> tuple[list[Stored], list[tuple[uuid.UUID, str]]]:
        """Store *items* of one tenant; return one result an item and the (scope, job) pairs due at once."""
        scopes = {scope.id: scope for scope, _ in items}
        new = [scope for id_, scope in scopes.items() if id_ not in self._born]
        with self._database.tenant(items[0][0].tenant) as connection:
            if new:
                inbox.give_birth(connection, new)
            result = inbox.store(connection, items)
        self._born.update(scopes)
        return result

    def bury(self, item: Any, *, reason: str, tenant: str | None = None) -> None:
        """Keep a message that could not be read as a dead letter, with the *reason*."""
        with self._database.tenant(tenant or SYSTEM_TENANT) as connection:
            connection.exec_driver_sql(
                "INSERT INTO dead_letters (tenant, category, reason, item) "
                "VALUES (slowwave_tenant(), 'malformed', %(reason)s, %(item)s::jsonb)",
                {"reason": reason, "item": json.dumps(_storable(item), allow_nan=False)},
            )


def _storable(item: Any) -> Any:
    """Return *item* without what JSON in Postgres cannot hold, so that even the worst message can be looked at."""
    if isinstance(item, str):
        return item.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    if isinstance(item, Mapping):
        return {_storable(str(key)): _storable(value) for key, value in item.items()}
    if isinstance(item, list | tuple):
        return [_storable(value) for value in item]
    if isinstance(item, float) and (item != item or item in (float("inf"), float("-inf"))):
        return str(item)
    return item
