"""Where an episode that was captured as it happened stands: on the hottest rung, from the beginning."""

import uuid

from sqlalchemy import Connection

from slowwave.domain.standing import Standing
from slowwave.store import standing

BASE = 0.5
"""What a captured call is worth where the rung does not say for what importance it is meant."""


def put_hottest(connection: Connection, scope: uuid.UUID, episode: uuid.UUID) -> None:
    """Give *episode* its standing on the hottest rung of the tenant's ladder, unless it has one."""
    rung = standing.policy_of(connection).ladder.rungs[0]
    now = connection.exec_driver_sql("SELECT slowwave_now()").scalar_one()
    base = rung.importance[0] if rung.importance else BASE
    standing.born(
        connection,
        {(scope, episode): Standing(kind="episodic", source="stated", tier=rung.name, base=base, created=now)},
    )
