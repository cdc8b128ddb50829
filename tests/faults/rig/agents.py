"""Agents that push by themselves, besides the pusher: to see how they are answered while something is wrong."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from slowwave import wiring
from slowwave.domain.scope import Scope
from tests.faults.rig.ground import Ground

SOMEBODY = Scope("default", "nora", "concierge")


@contextmanager
def agent(ground: Ground, database: str, outbox: Path | None = None) -> Iterator[wiring.Parts]:
    """Give the parts of an agent's process that has not connected yet, without a broker."""
    parts = wiring.connect(ground.settings(database, broker_url=None, outbox=outbox))
    try:
        yield parts
    finally:
        parts.close()


def stored(ground: Ground, database: str) -> int:
    """Return how many episodes a database holds."""
    with ground.superuser(database) as connection:
        (found,) = connection.execute("SELECT count(*) FROM episodes").fetchall()
    return int(found[0])
