"""Every task this process runs, by name. The work itself is in slowwave.jobs; each is safe to repeat."""

import contextlib
import uuid
from typing import Any

from celery import Task

from slowwave import queue, wiring
from slowwave.domain.job import (
    ARCHIVE,
    CHECK,
    CONSOLIDATE,
    DECAY,
    DETECT_PATTERNS,
    PARTITIONS,
    PREPARE,
    PROMOTE,
    RECONCILE,
    RETRY,
    SUMMARISE,
    SWEEP,
)
from slowwave.errors import Unavailable
from slowwave.memory import health, work
from worker import dead_letters
from worker.ingest import Letterbox, insist, store_or_send_again
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


@queue.app.task(name="slowwave.detect_patterns")
def detect_patterns(scope: str) -> None:
    """Learn strategies, preferences and routines from what a scope's episodes show to work."""
    _work(scope, DETECT_PATTERNS)


@queue.app.task(name="slowwave.summarise")
def summarise(scope: str) -> None:
    """Bring the summaries of a scope's sessions up to date."""
    _work(scope, SUMMARISE)


@queue.app.task(name="slowwave.promote")
def promote(scope: str) -> None:
    """Take over into all channels what has proven itself in one, and give back what no longer holds."""
    _work(scope, PROMOTE)


@queue.app.task(name="slowwave.decay")
def decay(place: str) -> None:
    """Let fade what is due to fade in one slice of a tenant."""
    _work(place, DECAY)


@queue.app.task(name="slowwave.sweep")
def sweep(place: str) -> None:
    """Move on its ladder what is due to move in one slice of a tenant."""
    _work(place, SWEEP)


@queue.app.task(name="slowwave.archive")
def archive(place: str) -> None:
    """Put away the old conversations of one slice of a tenant."""
    _work(place, ARCHIVE)


@queue.app.task(name="slowwave.partitions")
def partitions(place: str) -> None:
    """Make partitions ahead of time, and drop those that have expired."""
    _work(place, PARTITIONS)


@queue.app.task(name="slowwave.reconcile")
def reconcile(place: str) -> None:
    """Ask for work that nothing asks for."""
    _work(place, RECONCILE)


@queue.app.task(name="slowwave.check")
def check(place: str) -> None:
    """Look for anything that should never be."""
    _work(place, CHECK)


@queue.app.task(name=queue.ROLL_CALL)
def roll_call(node: str) -> None:
    """Sign that this worker hears, works and reaches Postgres."""
    health.sign(parts(), node, "worker")


@queue.app.task(
    name=queue.INGEST, base=Letterbox, bind=True, acks_late=True, reject_on_worker_lost=True, acks_on_timeout=False
)
def ingest(task: Task, /, *args: Any, **message: Any) -> None:
    """Store the episodes an agent sent through the broker; the only task whose message carries content.

    An agent in any language sends it by putting one JSON object at the head of the Redis list `slowwave`:

        LPUSH slowwave {"body": BODY, "content-encoding": "utf-8", "content-type": "application/json",
                        "headers": {"lang": "js", "task": "slowwave.ingest", "id": ID, "root_id": ID},
                        "properties": {"body_encoding": "base64", "delivery_mode": 2, "delivery_tag": ID,
                                       "correlation_id": ID, "priority": 0,
                                       "delivery_info": {"exchange": "", "routing_key": "slowwave"}}}

    where ID is a new UUID and BODY the base64 of this JSON (protocol 2 of Celery: args, kwargs, embed):

        [[], {"tenant": "default", "user": "alice", "agent": "concierge", "channel": "_global",
              "episodes": [{"key": "m-17", "content": "I moved to Oslo", "role": "user", "session": "s1",
                            "occurred_at": "2026-03-02T12:00:00+00:00"}]}, {}]

    The kwargs are described by `ops/ingest.schema.json`. Give every episode a key of your own: sending it again then
    changes nothing. With `"client": "some-id"` the worker answers in the list `slowwave.receipts.some-id`, one
    `[episode id, null or why it was refused]` each.

    While Postgres is away the task waits, and sends itself again before its time is up.
    """
    store_or_send_again(task, {**message, "args": list(args)} if args else message)


@queue.app.task(name=queue.BURY, bind=True, acks_late=True, reject_on_worker_lost=True, acks_on_timeout=False)
def bury(task: Task) -> None:
    """Make dead letters of the malformed messages that were put aside."""
    insist(task, dead_letters.bury, {})


def _work(scope: str, job: str) -> None:
    """Do what is due of *job*, then ring for what is due besides: it may have waited for the lease we held.

    When the database is away, what is due stays due and a later bell finds it.
    """
    id_, owner = uuid.UUID(scope), wiring.owner_name("celery")
    with contextlib.suppress(Unavailable):
        for _ in range(MOST_RUNS):
            if work.run_next(parts(), owner=owner, scope=id_, only=[job]) is None:
                break
        for other in work.runnable_jobs(parts(), id_):
            queue.ring(id_, other)
