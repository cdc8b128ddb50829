"""Every task of this process, by name. Each task calls a job of `slowwave.jobs`, and is safe to repeat."""

import contextlib
import json
import time
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar, cast

import redis
from celery import Task
from celery.exceptions import Reject, Retry, SoftTimeLimitExceeded
from celery.utils.log import get_task_logger

from slowwave import wiring
from slowwave.broker import queue
from slowwave.celery_app import app
from slowwave.domain import job_table
from slowwave.domain.dead_letter import Refused
from slowwave.domain.message import IngestMessage, tenant_of
from slowwave.domain.receipt import Receipt
from slowwave.domain.run import Report
from slowwave.domain.scope import SYSTEM_TENANT, Scope
from slowwave.errors import Conflict, Crowded, Unavailable, Unprepared, broke
from slowwave.formatting import counted
from slowwave.memory import due_work, health, ingestion
from slowwave.runtime import clock
from slowwave.threads import Pause
from worker import results
from worker.parts import parts
from worker.results import Buried

SHARE = 0.8
"""The share of the soft time limit that a task spends on retries; the last attempt gets the remaining time."""
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.1, 15.0
CROWDED_SECONDS = 0.05
"""The pause before a message beyond a quota is sent again, so that a queue of such messages does not load Postgres."""
TRIES = 6
"""The number of attempts at a message on which our own code fails. The attempts take about six seconds; then the task
sends the message again.
"""
MOST_BROKEN = 1000
"""The maximum number of messages in a `Witness`. If there are more, the record of the oldest message is dropped."""

log = get_task_logger(__name__)
T = TypeVar("T")
BATCH = 100
"""The number of dead letters per transaction."""
WHERE = f"see `slowwave dead-letters list --tenant {SYSTEM_TENANT}`"


class Witness:
    """The messages on which our own code failed in this process, each with the time of its first failure.

    The time of the last success is recorded, too. It shows whether other messages could be stored after a failure.
    """

    def __init__(self) -> None:
        self._broken: dict[str, float] = {}
        self._stored = float("-inf")

    def stored(self, id_: str) -> None:
        """Record that a message was stored."""
        self._broken.pop(id_, None)
        self._stored = clock.monotonic()

    def guilty(self, id_: str) -> bool:
        """Return whether a message causes its failure: since our code first failed on it, others were stored."""
        while len(self._broken) >= MOST_BROKEN:
            self._broken.pop(next(iter(self._broken)), None)
        return self._broken.setdefault(id_, clock.monotonic()) < self._stored


witness = Witness()


class Letterbox(Task):  # type: ignore[misc]  # Celery has no types
    """A task whose message may carry any keyword argument, even one named `self`."""

    abstract = True

    def __call__(self, /, *args: Any, **message: Any) -> Any:
        """Run the task."""
        return self.run(*args, **message)


def store(task: Task, message: dict[str, Any]) -> str:
    """Store *message*; return the number of its stored episodes as text.

    Raises `Buried` if an episode became a dead letter. Raises `Retry` if nothing could be stored now, after sending the
    message again under the same id.
    """
    receipts = insist(task, lambda: _receipts(task, message), message)
    names = parts().settings.names_in_flower
    scope = _scope(message) if receipts else None
    owner = "" if scope is None else results.named(scope) if names else f"scope {scope.id}"
    return results.of_receipts(receipts, owner=owner)


def insist(task: Task, attempt: Callable[[], T | None], message: Mapping[str, Any]) -> T:
    """Call *attempt* until its result is not None; return the result.

    Raises `Retry` at the time limit, after sending *message* again under the same id.
    """
    end = clock.monotonic() + SHARE * task.soft_time_limit
    pause = Pause(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)
    try:
        while (result := attempt()) is None:
            if clock.monotonic() + pause.seconds >= end:
                raise _sent_again(task, message)
            time.sleep(pause.seconds)
            pause.double()
        return result
    except SoftTimeLimitExceeded as error:  # the database hangs in the middle of a statement
        raise _sent_again(task, message) from error


def _receipts(task: Task, message: dict[str, Any]) -> Sequence[Receipt] | None:
    """Store *message* and return the receipts; return None if the task must try again later.

    A message beyond a quota goes to the back of the queue at once, behind messages of other tenants. If our own code
    fails on a message, the task tries a few times and then sends the message again. If other messages have been stored
    since the first failure, each episode of the failing message becomes a dead letter. A message that cannot be parsed
    becomes one dead letter at once.
    """
    id_, pause = task.request.id, Pause(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)
    for left in reversed(range(TRIES)):
        try:
            receipts = ingestion.ingest(parts(), message, id_=id_)
        except SoftTimeLimitExceeded:
            raise
        except Crowded as error:
            time.sleep(CROWDED_SECONDS)
            raise _sent_again(task, message, error.message) from error
        except (Unavailable, Conflict, MemoryError):
            return None
        except Unprepared as error:
            log.error("ingest %s waits: %s", id_, error.message)
            return None
        except Exception as error:  # the edge of the process: no error may lose an acknowledged message
            log.error("ingest %s: %s", id_, broke(error))
            readable = _scope(message) is not None
            guilty = witness.guilty(id_)
            if not readable or (guilty and not left):
                return _buried(message, broke(error), id_=id_, readable=readable)
            if not left:
                raise _sent_again(task, message, "our own code fails on it") from error
        else:
            witness.stored(id_)
            return receipts
        time.sleep(pause.seconds)
        pause.double()
    return None


def _buried(message: dict[str, Any], reason: str, *, id_: str, readable: bool) -> Sequence[Receipt] | None:
    """Turn the episodes of *message* into dead letters; return their receipts, or None to try again later.

    If the message is not *readable*, the whole message becomes one dead letter.
    """
    try:
        if readable:
            return ingestion.give_up(parts(), message, reason, id_=id_)
        tenant = tenant_of(message)
        parts().of(tenant or SYSTEM_TENANT).inbox.bury([Refused(message, "fault", reason)], scope=tenant)
        return []
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:  # noqa: BLE001  # no dead letter either: perhaps there is no schema yet
        log.error("a message could not be turned into dead letters: %s", broke(error))
        return None


def _scope(message: Mapping[str, Any]) -> Scope | None:
    """Return the scope that *message* belongs to; None if the message cannot be read."""
    try:
        return IngestMessage.read(message)[1]
    except SoftTimeLimitExceeded:
        raise
    except Exception:  # noqa: BLE001  # any error that a malformed value can cause
        return None


def _sent_again(task: Task, message: Mapping[str, Any], why: str = "nothing can be stored now") -> Retry:
    try:
        queue.send(task.name, kwargs=message, task_id=task.request.id)
    except Unavailable as error:
        raise Reject(error.message, requeue=True) from error
    return results.again(f"{why}; the message waits in the queue")


def bury_malformed() -> str | None:
    """Turn malformed messages into dead letters.

    Return a sentence if there were no such messages, and None if a service is down. Raises `Buried` if there were
    malformed messages, so that Flower shows the task in red.
    """
    count = 0
    try:
        with queue.redis_client(parts().broker_url or "") as line:
            while excerpts := cast(list[str], line.lrange(queue.MALFORMED, 0, BATCH - 1)):
                parts().inbox.bury([_refused(excerpt) for excerpt in excerpts], scope=None)
                count += len(excerpts)
                with line.pipeline() as lines:  # by value, since another worker may process the same messages
                    for excerpt in excerpts:
                        lines.lrem(queue.MALFORMED, 1, excerpt)
                    lines.execute()
        if count:
            raise Buried(f"dead: {counted(count, 'malformed messages')}, {WHERE}")
        return "ok: there were no malformed messages"
    except (Unavailable, Conflict, redis.RedisError):
        return None


def _refused(excerpt: str) -> Refused:
    item: dict[str, Any] = json.loads(excerpt)
    reason = item.pop("reason")
    return Refused(item, "malformed", reason)


MOST_RUNS = 50
"""The maximum number of runs of one task. After these runs, the task queues itself again, behind other scopes. The
soft time limit may end a task earlier.
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
    def due_work_of_job(task: Task, scope: str, cell: str = "") -> str:
        return _work(task, scope, job, parts(cell))

    due_work_of_job.__doc__ = description
    return cast(Task, _job(name=f"{queue.OURS}{job}")(due_work_of_job))


TASKS = {job: _task_of(job, description) for job, description in _DUE_WORK.items()}
"""The task of each of these jobs. The arguments are the id of the scope or of the slice, and the cell."""


@_job(name="slowwave.ask")
def ask(task: Task, number: str, cell: str = "") -> str:
    """Send pending model requests, one after the other. As many of these tasks may run as there are model slots."""
    del number  # the number only makes the messages distinct
    owner = wiring.owner_name(f"celery-{task.request.id}")
    return results.of_calls(_outcomes(lambda: due_work.send_next_request(parts(cell), owner=owner)))


@_job(name="slowwave.deliver")
def deliver(task: Task, number: str, cell: str = "") -> str:
    """Send pending deltas to webhooks, one webhook after the other."""
    del task, number  # the number only makes the messages distinct
    return results.of_deliveries(_outcomes(lambda: due_work.deliver_next(parts(cell))))


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
    return insist(task, bury_malformed, {})


def _work(task: Task, scope: str, job: str, cell: wiring.Parts) -> str:
    """Do the due work of *job*; return the result. Wake workers for work that waited for the lease of this task.

    After each run, another tenant with due work gets its turn. While the database is unreachable, the work stays due,
    and a later task does the work.
    """
    id_, owner = uuid.UUID(scope), wiring.owner_name("celery")
    reports: list[Report] = []
    end = clock.monotonic() + cell.settings.soft_limit_seconds
    try:
        while len(reports) < MOST_RUNS and clock.monotonic() < end:
            report = due_work.run_next(cell, owner=owner, scope=id_, only=[job], task=task.request.id, own_process=True)
            if report is None:
                break
            reports.append(report)
            if clock.monotonic() < end:
                due_work.run_next(cell, owner=owner, task=task.request.id, others=True, own_process=True)
        for other in due_work.runnable_jobs(cell, id_):
            with contextlib.suppress(Unavailable):  # polling workers find the work if a wake-up is lost
                queue.notify_workers(id_, other, cell.cell)
        scope_name = results.owner_of(cell, id_, job)
    except Unavailable as error:
        raise results.again(error.message) from error
    return results.of_runs(reports, owner=scope_name)
