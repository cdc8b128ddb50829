"""Every task this process runs, by name. The work itself is in slowwave.jobs; each is safe to repeat."""

import contextlib
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


@queue.app.task(name=queue.ROLL_CALL)
def roll_call(node: str) -> None:
    """Sign that this worker hears, works and reaches Postgres."""
    parts().sign(node, "worker")


def _work(scope: str, job: str) -> None:
    """Do what is due of *job*, then ring for what is due besides: it may have waited for the lease we held.

    When the database is away, what is due stays due and a later bell finds it.
    """
    id_, owner = uuid.UUID(scope), wiring.owner_name("celery")
    with contextlib.suppress(Unavailable):
        for _ in range(MOST_RUNS):
            if parts().work(owner=owner, scope=id_, only=[job]) is None:
                break
        for other in parts().runnable_jobs(id_):
            queue.ring(id_, other)
