"""Every task this process runs, by name. The work itself is in slowwave.jobs; each is safe to repeat."""

import contextlib
import uuid
from collections import Counter
from functools import partial
from typing import Any

from celery import Task

from slowwave import clock, queue, wiring
from slowwave.celery_app import app
from slowwave.domain.job_table import (
    ARCHIVE,
    CHECK,
    CONSOLIDATE,
    DECAY,
    DETECT_PATTERNS,
    GROW,
    PARTITIONS,
    PLAN,
    PREPARE,
    PROMOTE,
    RECONCILE,
    RECONSIDER,
    REEMBED,
    REPORT,
    RETELL,
    RETRY,
    SUMMARISE,
    SWEEP,
)
from slowwave.domain.run import Report
from slowwave.errors import Unavailable
from slowwave.memory import health, work
from worker import dead_letters, results
from worker.ingest import Letterbox, insist, store
from worker.parts import parts

MOST_RUNS = 50
"""Runs a message does before it lets other scopes go first and rings again; or as many as begin in a soft limit."""


_job = partial(app.task, bind=True, throws=results.RED)


@_job(name="slowwave.consolidate")
def consolidate(task: Task, scope: str) -> str:
    """Turn a scope's pending episodes into facts."""
    return _work(task, scope, CONSOLIDATE)


@_job(name="slowwave.plan")
def plan(task: Task, scope: str) -> str:
    """Plan what a model is to be asked about a scope's pending episodes."""
    return _work(task, scope, PLAN)


@_job(name="slowwave.prepare")
def prepare(task: Task, scope: str) -> str:
    """Embed a scope's new episodes."""
    return _work(task, scope, PREPARE)


@_job(name="slowwave.retry")
def retry(task: Task, scope: str) -> str:
    """Take a scope's retried dead letters up again."""
    return _work(task, scope, RETRY)


@_job(name="slowwave.detect_patterns")
def detect_patterns(task: Task, scope: str) -> str:
    """Learn strategies, preferences and routines from what a scope's episodes show to work."""
    return _work(task, scope, DETECT_PATTERNS)


@_job(name="slowwave.summarise")
def summarise(task: Task, scope: str) -> str:
    """Bring the summaries of a scope's sessions up to date."""
    return _work(task, scope, SUMMARISE)


@_job(name="slowwave.grow")
def grow(task: Task, scope: str) -> str:
    """Grow the tree over the summaries of a scope's sessions."""
    return _work(task, scope, GROW)


@_job(name="slowwave.retell")
def retell(task: Task, scope: str) -> str:
    """Take over what a model replied about a scope's summaries, and plan what it is asked next."""
    return _work(task, scope, RETELL)


@_job(name="slowwave.reembed")
def reembed(task: Task, scope: str) -> str:
    """Move a scope to another embedding space, a batch further."""
    return _work(task, scope, REEMBED)


@_job(name="slowwave.reconsider")
def reconsider(task: Task, scope: str) -> str:
    """End what is no longer so by what was learned lately, and take together what says the same."""
    return _work(task, scope, RECONSIDER)


@_job(name="slowwave.promote")
def promote(task: Task, scope: str) -> str:
    """Promote to all channels the facts that one has proven, and revoke what no longer holds."""
    return _work(task, scope, PROMOTE)


@_job(name="slowwave.decay")
def decay(task: Task, scope: str) -> str:
    """Refresh decay in one slice of a tenant, and withdraw what has faded."""
    return _work(task, scope, DECAY)


@_job(name="slowwave.sweep")
def sweep(task: Task, scope: str) -> str:
    """Move memories on their ladders, in one slice of a tenant."""
    return _work(task, scope, SWEEP)


@_job(name="slowwave.archive")
def archive(task: Task, scope: str) -> str:
    """Archive, expire and tombstone what is due in one slice of a tenant."""
    return _work(task, scope, ARCHIVE)


@_job(name="slowwave.partitions")
def partitions(task: Task, scope: str) -> str:
    """Make partitions ahead of time, and drop those that have expired."""
    return _work(task, scope, PARTITIONS)


@_job(name="slowwave.reconcile")
def reconcile(task: Task, scope: str) -> str:
    """Ask for work that nothing asks for."""
    return _work(task, scope, RECONCILE)


@_job(name="slowwave.check")
def check(task: Task, scope: str) -> str:
    """Check every invariant, and log what does not hold."""
    return _work(task, scope, CHECK)


@_job(name="slowwave.report")
def report(task: Task, scope: str) -> str:
    """Write a page of each tenant's night, where a folder for them is set."""
    return _work(task, scope, REPORT)


@_job(name="slowwave.ask")
def ask(task: Task, number: str) -> str:
    """Ask models what waits to be asked, one call after the other; as many such tasks may run as there are slots."""
    del number  # any of them is like another
    counts: Counter[str] = Counter()
    owner, end = wiring.owner_name(f"celery-{task.request.id}"), clock.monotonic() + parts().settings.soft_limit_seconds
    try:
        while clock.monotonic() < end and (outcome := work.ask_next(parts(), owner=owner)) is not None:
            counts[outcome] += 1
    except Unavailable as error:
        raise results.again(error.message) from error
    return results.of_calls(counts)


@_job(name="slowwave.deliver")
def deliver(task: Task, number: str) -> str:
    """Tell webhooks what they are owed, one after the other."""
    del task, number  # any of them is like another
    counts: Counter[str] = Counter()
    end = clock.monotonic() + parts().settings.soft_limit_seconds
    try:
        while clock.monotonic() < end and (outcome := work.deliver_next(parts())) is not None:
            counts[outcome] += 1
    except Unavailable as error:
        raise results.again(error.message) from error
    return results.of_deliveries(counts)


@app.task(name=queue.ROLL_CALL, send_events=False)
def roll_call(node: str) -> None:
    """Sign that this worker hears, works and reaches Postgres."""
    health.sign(parts(), node, "worker")


_carrying = partial(_job, acks_late=True, reject_on_worker_lost=True, acks_on_timeout=False)


@_carrying(name=queue.INGEST, base=Letterbox)
def ingest(task: Task, /, *args: Any, **message: Any) -> str:
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

    What is no such envelope becomes a dead letter of the installation (`worker.malformed`). A time limit, a time to
    wait for, an expiry or a task to call next is not obeyed: what an episode says counts.

    While Postgres is away the task waits, and sends itself again before its time is up.
    """
    return store(task, {**message, "args": list(args)} if args else message)


@_carrying(name=queue.BURY)
def bury(task: Task) -> str:
    """Make dead letters of the malformed messages that were put aside."""
    return insist(task, dead_letters.bury, {})


def _work(task: Task, scope: str, job: str) -> str:
    """Do what is due of *job*, ring for what is due besides, for it may have waited for our lease; return the result.

    When the database is away, what is due stays due and a later bell finds it.
    """
    id_, owner = uuid.UUID(scope), wiring.owner_name("celery")
    reports: list[Report] = []
    end = clock.monotonic() + parts().settings.soft_limit_seconds
    try:
        while len(reports) < MOST_RUNS and clock.monotonic() < end:
            report = work.run_next(parts(), owner=owner, scope=id_, only=[job], task=task.request.id, own_process=True)
            if report is None:
                break
            reports.append(report)
        for other in work.runnable_jobs(parts(), id_):
            with contextlib.suppress(Unavailable):  # nobody hears it: polling finds the work
                queue.ring(id_, other)
        whose = results.whose(parts(), id_, job)
    except Unavailable as error:
        raise results.again(error.message) from error
    return results.of_runs(reports, whose=whose)
