"""Every task this process runs, by name. The work itself is in slowwave.jobs; each is safe to repeat."""

import uuid

from slowwave import queue, wiring
from slowwave.domain.run import CONSOLIDATE, PREPARE, RETRY
from slowwave.errors import Unavailable
from worker.parts import parts

MOST_RUNS = 50
"""Runs a message does before it lets other scopes go first and rings again."""


@queue.app.task(name="slowwave.consolidate")
def consolidate(scope: str) -> None:
    """Turn a scope's pending episodes into facts."""
    _work(scope, CONSOLIDATE)


@queue.app.task(name="slowwave.prepare")
def prepare(scope: str) -> None:
    """Embed a scope's new episodes."""
    _work(scope, PREPARE)


@queue.app.task(name="slowwave.retry")
def retry(scope: str) -> None:
    """Take a scope's retried dead letters up again."""
    _work(scope, RETRY)


def _work(scope: str, job: str) -> None:
    owner = wiring.owner_name("celery")
    for _ in range(MOST_RUNS):
        try:
            if parts().work(owner=owner, scope=uuid.UUID(scope), only=[job]) is None:
                return
        except Unavailable:
            return  # the database is away: what is due stays due, and the next bell finds it
    queue.ring(uuid.UUID(scope), job)
