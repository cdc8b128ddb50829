"""Tiers of memories, as an index shows them."""

import uuid
from collections.abc import Iterable

from sqlalchemy import Connection

from slowwave.store.policy import policy_of
from slowwave.store.statements import sql


def tiers(connection: Connection, memories: Iterable[tuple[uuid.UUID, uuid.UUID]]) -> dict[uuid.UUID, str]:
    """Return where each of these memories stands, by its id; *memories* are pairs of a scope and an id.

    What was never returned to anybody stands where memories begin.
    """
    named = list(memories)
    entry = policy_of(connection).ladder.entry
    rows = connection.exec_driver_sql(
        sql("reading/tiers"), {"scopes": [scope for scope, _ in named], "memories": [memory for _, memory in named]}
    )
    return {memory: entry for _, memory in named} | {row.memory: row.tier for row in rows}
