"""Every task of this process, by name. Each task calls a job of `slowwave.jobs`, and is safe to repeat."""

import contextlib
import uuid
from collections import Counter
from functools import partial
from typing import Any

from celery import Task

from slowwave import wiring
from slowwave.broker import queue
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
    SEAL,
    SUMMARISE,
    SWEEP,
)
from slowwave.domain.run import Report
from slowwave.errors import Unavailable
from slowwave.memory import due_work, health
from slowwave.runtime import clock
from worker import ingest as dead_letters
from worker import results
from worker.ingest import Letterbox, insist, store
from worker.parts import parts

MOST_RUNS = 50
"""The most runs of one task. After these runs, the task queues itself again, behind other scopes. The soft time limit
may end a task earlier.
"""


_job = partial(app.task, bind=True, throws=results.RED)
_carrying = partial(_job, acks_late=True, reject_on_worker_lost=True, acks_on_timeout=False)


@_job(name="slowwave.consolidate")
def consolidate(task: Task, scope: str) -> str:
    """Turn a scope's pending episodes into facts."""
    return _work(task, scope, CONSOLIDATE)


@_job(name="slowwave.plan")
def plan(task: Task, scope: str) -> str:
    """Plan the model requests about a scope's pending episodes."""
    return _work(task, scope, PLAN)


@_job(name="slowwave.prepare")
def prepare(task: Task, scope: str) -> str:
    """Embed a scope's new episodes."""
    return _work(task, scope, PREPARE)


@_job(name="slowwave.retry")
def retry(task: Task, scope: str) -> str:
    """Process a scope's retried dead letters again."""
    return _work(task, scope, RETRY)


@_job(name="slowwave.detect_patterns")
def detect_patterns(task: Task, scope: str) -> str:
    """Learn strategies, preferences and routines from the episodes of a scope."""
    return _work(task, scope, DETECT_PATTERNS)


@_job(name="slowwave.summarise")
def summarise(task: Task, scope: str) -> str:
    """Bring the summaries of a scope's sessions up to date."""
    return _work(task, scope, SUMMARISE)


@_job(name="slowwave.grow")
def grow(task: Task, scope: str) -> str:
    """Bring the tree over the summaries of a scope's sessions up to date."""
    return _work(task, scope, GROW)


@_job(name="slowwave.retell")
def retell(task: Task, scope: str) -> str:
    """Store model replies about a scope's summaries, and plan the next requests."""
    return _work(task, scope, RETELL)


@_job(name="slowwave.reembed")
def reembed(task: Task, scope: str) -> str:
    """Move a scope to another embedding space, one batch at a time."""
    return _work(task, scope, REEMBED)


@_job(name="slowwave.reconsider")
def reconsider(task: Task, scope: str) -> str:
    """End beliefs that recent facts contradict, and merge beliefs that say the same."""
    return _work(task, scope, RECONSIDER)


@_job(name="slowwave.promote")
def promote(task: Task, scope: str) -> str:
    """Promote proven facts of one channel to all channels, and revoke promotions that no longer hold."""
    return _work(task, scope, PROMOTE)


@_job(name="slowwave.decay")
def decay(task: Task, scope: str) -> str:
    """Refresh decay in one slice of a tenant, and withdraw faded facts."""
    return _work(task, scope, DECAY)


@_job(name="slowwave.sweep")
def sweep(task: Task, scope: str) -> str:
    """Move memories between tiers, in one slice of a tenant."""
    return _work(task, scope, SWEEP)


@_job(name="slowwave.archive")
def archive(task: Task, scope: str) -> str:
    """Archive, expire and tombstone the memories that are due, in one slice of a tenant."""
    return _work(task, scope, ARCHIVE)


@_job(name="slowwave.partitions")
def partitions(task: Task, scope: str) -> str:
    """Make partitions ahead of time, and drop expired partitions."""
    return _work(task, scope, PARTITIONS)


@_job(name="slowwave.reconcile")
def reconcile(task: Task, scope: str) -> str:
    """Create an intent for each piece of pending work that has no intent."""
    return _work(task, scope, RECONCILE)


@_job(name="slowwave.check")
def check(task: Task, scope: str) -> str:
    """Check every invariant, and log each violation."""
    return _work(task, scope, CHECK)


@_job(name="slowwave.seal")
def seal(task: Task, scope: str) -> str:
    """Add a seal (a keyed hash) over the new deltas of each ledger."""
    return _work(task, scope, SEAL)


@_job(name="slowwave.report")
def report(task: Task, scope: str) -> str:
    """Write one report page per tenant about the night, if a folder for these pages is set."""
    return _work(task, scope, REPORT)


@_job(name="slowwave.ask")
def ask(task: Task, number: str) -> str:
    """Send pending model requests, one after the other. As many of these tasks may run as there are model slots."""
    del number  # the number only makes the messages distinct
    counts: Counter[str] = Counter()
    owner, end = wiring.owner_name(f"celery-{task.request.id}"), clock.monotonic() + parts().settings.soft_limit_seconds
    try:
        while clock.monotonic() < end and (outcome := due_work.send_next_request(parts(), owner=owner)) is not None:
            counts[outcome] += 1
    except Unavailable as error:
        raise results.again(error.message) from error
    return results.of_calls(counts)


@_job(name="slowwave.deliver")
def deliver(task: Task, number: str) -> str:
    """Send pending deltas to webhooks, one webhook after the other."""
    del task, number  # the number only makes the messages distinct
    counts: Counter[str] = Counter()
    end = clock.monotonic() + parts().settings.soft_limit_seconds
    try:
        while clock.monotonic() < end and (outcome := due_work.deliver_next(parts())) is not None:
            counts[outcome] += 1
    except Unavailable as error:
        raise results.again(error.message) from error
    return results.of_deliveries(counts)


@app.task(name=queue.ROLL_CALL, send_events=False)
def roll_call(node: str) -> None:
    """Record that this worker receives messages, runs tasks and reaches Postgres."""
    health.sign(parts(), node, "worker")


@_carrying(name=queue.INGEST, base=Letterbox)
def ingest(task: Task, /, *args: Any, **message: Any) -> str:
    """Store the episodes that an agent sent through the broker. This is the only task whose message carries content.

    An agent in any language sends the message by pushing one JSON object to the head of the Redis list `slowwave`:

        LPUSH slowwave {"body": BODY, "content-encoding": "utf-8", "content-type": "application/json",
                        "headers": {"lang": "js", "task": "slowwave.ingest", "id": ID, "root_id": ID},
                        "properties": {"body_encoding": "base64", "delivery_mode": 2, "delivery_tag": ID,
                                       "correlation_id": ID, "priority": 0,
                                       "delivery_info": {"exchange": "", "routing_key": "slowwave"}}}

    ID is a new UUID, and BODY the base64 of this JSON (protocol 2 of Celery: args, kwargs, embed):

        [[], {"tenant": "default", "user": "alice", "agent": "concierge", "channel": "_global",
              "episodes": [{"key": "m-17", "content": "I moved to Oslo", "role": "user", "session": "s1",
                            "occurred_at": "2026-03-02T12:00:00+00:00"}]}, {}]

    `ops/ingest.schema.json` describes the kwargs. Give every episode your own key: a second message with the same key
    changes nothing. With `"client": "some-id"`, the worker confirms each episode in the list
    `slowwave.receipts.some-id`: each entry is `[episode id, null or the reason of the refusal]`.

    A message with any other envelope becomes a dead letter of the installation (`worker.malformed`). The worker ignores
    a time limit, a start time, an expiry or a follow-up task in the envelope.

    While Postgres is unreachable, the task waits. Before the time limit of the task, the task sends its message again.
    """
    return store(task, {**message, "args": list(args)} if args else message)


@_carrying(name=queue.BURY)
def bury(task: Task) -> str:
    """Turn malformed messages into dead letters."""
    return insist(task, dead_letters.bury, {})


def _work(task: Task, scope: str, job: str) -> str:
    """Do the due work of *job*; return the result. Wake workers for work that waited for the lease of this task.

    After each run, another tenant with due work gets its turn. While the database is unreachable, the work stays due,
    and a later task does the work.
    """
    id_, owner = uuid.UUID(scope), wiring.owner_name("celery")
    reports: list[Report] = []
    end = clock.monotonic() + parts().settings.soft_limit_seconds
    try:
        while len(reports) < MOST_RUNS and clock.monotonic() < end:
            report = due_work.run_next(
                parts(), owner=owner, scope=id_, only=[job], task=task.request.id, own_process=True
            )
            if report is None:
                break
            reports.append(report)
            if clock.monotonic() < end:
                due_work.run_next(parts(), owner=owner, task=task.request.id, others=True, own_process=True)
        for other in due_work.runnable_jobs(parts(), id_):
            with contextlib.suppress(Unavailable):  # polling workers find the work if a wake-up is lost
                queue.notify_workers(id_, other)
        scope_name = results.owner_of(parts(), id_, job)
    except Unavailable as error:
        raise results.again(error.message) from error
    return results.of_runs(reports, owner=scope_name)
