"""The present strengths of memories, which are computed from their standings and never stored."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from sqlalchemy import Connection

from slowwave.domain.standing import Standing
from slowwave.store import clock
from slowwave.store.memory_state import standing
from slowwave.store.memory_state.standing import Key
from slowwave.store.policy import policy_of
from slowwave.store.statements import sql


def standings(connection: Connection, memories: Iterable[Key]) -> dict[uuid.UUID, Standing]:
    """Return the standings of *memories*, by id, with their present strength; without locks.

    An episode that was never returned has none.
    """
    return {memory: one[0] for memory, one in outlooks(connection, memories, [timedelta(0)]).items()}


def outlooks(
    connection: Connection, memories: Iterable[Key], ahead: Sequence[timedelta]
) -> dict[uuid.UUID, list[Standing]]:
    """Return the future standings of *memories*, one for each time *ahead*, by id.

    Assumes no accesses and no tier moves until then, so only the strengths differ.
    """
    named = list(memories)
    wanted = {"scopes": [scope for scope, _ in named], "memories": [memory for _, memory in named]}
    rows = connection.exec_driver_sql(sql("recall/standings"), wanted).mappings()
    found = {row["memory"]: standing.read(row) for row in rows}
    decay, now = policy_of(connection).decay, clock.now(connection)
    return {
        memory: [replace(one, strength=decay.strength(one, now + later)) for later in ahead]
        for memory, one in found.items()
    }
