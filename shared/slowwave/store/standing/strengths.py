"""Strengths of memories as they are now: computed from where each stands, and kept nowhere."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

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
    return {memory: one[0] for memory, one in outlooks(connection, memories, [timedelta(0)]).items()}


def outlooks(
    connection: Connection, memories: Iterable[Key], ahead: Sequence[timedelta]
) -> dict[uuid.UUID, list[Standing]]:
    """Return the standing of those of *memories* that have one, so far *ahead* each time if nothing happens till then.

    Nothing moves on the ladder meanwhile, and nobody asks: what differs is the strength.
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
