"""Strengths of memories as they are now: computed from where each stands, and kept nowhere."""

import uuid
from collections.abc import Iterable
from dataclasses import replace

from sqlalchemy import Connection

from slowwave.domain.standing import Standing
from slowwave.store import clock
from slowwave.store.policy import policy_of
from slowwave.store.standing import standing
from slowwave.store.standing.standing import Key
from slowwave.store.statements import sql


def standings(connection: Connection, memories: Iterable[Key]) -> dict[uuid.UUID, Standing]:
    """Return the standing of those of *memories* that have one, by their ids, with their strength now; none is locked.

    What was never returned to anybody, and is no fact, has none.
    """
    named = list(memories)
    wanted = {"scopes": [scope for scope, _ in named], "memories": [memory for _, memory in named]}
    rows = connection.exec_driver_sql(sql("recall/standings"), wanted).mappings()
    found = {row["memory"]: standing.read(row) for row in rows}
    decay, now = policy_of(connection).decay, clock.now(connection)
    return {memory: replace(one, strength=decay.strength(one, now)) for memory, one in found.items()}
