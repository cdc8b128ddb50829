"""Every task of this process, by name. Each task calls a job of `slowwave.jobs`, and is safe to repeat."""

import contextlib
import uuid
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from celery import Task

from slowwave import wiring
from slowwave.broker import queue
from slowwave.celery_app import app
from slowwave.domain import job_table
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


_DUE_WORK = {
    job_table.CONSOLIDATE: "Turn a scope's pending episodes into facts.",
    job_table.PLAN: "Plan the model requests about a scope's pending episodes.",
    job_table.PREPARE: "Embed a scope's new episodes.",
    job_table.RETRY: "Process a scope's retried dead letters again.",
    job_table.DETECT_PATTERNS: "Learn strategies, preferences and routines from the episodes of a scope.",
    job_table.SUMMARISE: "Bring the summaries of a scope's sessions up to date.",
    job_table.GROW: "Bring the tree over the summaries of a scope's sessions up to date.",
    job_table.RETELL: "Store model replies about a scope's summaries, and plan the next requests.",
    job_table.REEMBED: "Move a scope to another embedding space, one batch at a time.",
    job_table.RECONSIDER: "End beliefs that recent facts contradict, and merge beliefs that say the same.",
    job_table.PROMOTE: "Promote proven facts of a channel to all channels, and revoke promotions that no longer hold.",
    job_table.DECAY: "Refresh decay in one slice of a tenant, and withdraw faded facts.",
    job_table.SWEEP: "Move memories between tiers, in one slice of a tenant.",
    job_table.ARCHIVE: "Archive, expire and tombstone the memories that are due, in one slice of a tenant.",
    job_table.PARTITIONS: "Make partitions ahead of time, and drop expired partitions.",
    job_table.RECONCILE: "Create an intent for each piece of pending work that has no intent.",
    job_table.CHECK: "Check every invariant, and log each violation.",
    job_table.SEAL: "Add a seal (a keyed hash) over the new deltas of each ledger.",
    job_table.REPORT: "Write one report page per tenant about the night, if a folder for these pages is set.",
}
"""The jobs whose due work a task does, each with the description of its task."""


def _task_of(job: str, description: str) -> Task:
    def due_work_of_job(task: Task, scope: str) -> str:
        return _work(task, scope, job)

    due_work_of_job.__doc__ = description
    return cast(Task, _job(name=f"{queue.OURS}{job}")(due_work_of_job))


TASKS = {job: _task_of(job, description) for job, description in _DUE_WORK.items()}
"""The task of each of these jobs. The argument is the id of the scope, or of the slice."""


@_job(name="slowwave.ask")
def ask(task: Task, number: str) -> str:
    """Send pending model requests, one after the other. As many of these tasks may run as there are model slots."""
    del number  # the number only makes the messages distinct
    owner = wiring.owner_name(f"celery-{task.request.id}")
    return results.of_calls(_outcomes(lambda: due_work.send_next_request(parts(), owner=owner)))


@_job(name="slowwave.deliver")
def deliver(task: Task, number: str) -> str:
    """Send pending deltas to webhooks, one webhook after the other."""
    del task, number  # the number only makes the messages distinct
    return results.of_deliveries(_outcomes(lambda: due_work.deliver_next(parts())))


def _outcomes(step: Callable[[], str | None]) -> Counter[str]:
    """Repeat *step* until it has nothing to do, or until the soft time limit; return the number of its outcomes."""
    counts: Counter[str] = Counter()
    end = clock.monotonic() + parts().settings.soft_limit_seconds
    try:
        while clock.monotonic() < end and (outcome := step()) is not None:
            counts[outcome] += 1
    except Unavailable as error:
        raise results.again(error.message) from error
    return counts


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
