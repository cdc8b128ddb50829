"""Ingests episodes from the queue, and turns malformed messages into dead letters."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

import redis
from celery import Task
from celery.exceptions import Reject, Retry, SoftTimeLimitExceeded
from celery.utils.log import get_task_logger

from slowwave.broker import queue
from slowwave.domain.dead_letter import Refused
from slowwave.domain.message import IngestMessage, tenant_of
from slowwave.domain.receipt import Receipt
from slowwave.domain.scope import SYSTEM_TENANT, Scope
from slowwave.errors import Conflict, Crowded, Unavailable, Unprepared, broke
from slowwave.formatting import counted
from slowwave.memory import ingestion
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
"""The most messages in a `Witness`. If there are more, the record of the oldest message is dropped."""

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
        parts().inbox.bury([Refused(message, "fault", reason)], scope=tenant_of(message))
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


def bury() -> str | None:
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
