"""Keeps a message that carries content until what it carries is stored, or is back in the queue."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from celery import Task
from celery.exceptions import Reject, Retry, SoftTimeLimitExceeded
from celery.utils.log import get_task_logger

from slowwave import clock, queue
from slowwave.domain.dead_letter import Refused
from slowwave.domain.message import IngestMessage
from slowwave.domain.receipt import Receipt
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, Unavailable
from slowwave.memory import storing
from slowwave.threads import Pause
from worker import results
from worker.parts import parts

SHARE = 0.8
"""How much of the soft time limit is waited away; the rest is for the attempt that is under way by then."""
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.1, 15.0

log = get_task_logger(__name__)
T = TypeVar("T")


class Letterbox(Task):  # type: ignore[misc]  # Celery has no types
    """A task whose message may bring any keyword argument, even one named `self`."""

    abstract = True

    def __call__(self, /, *args: Any, **message: Any) -> Any:
        """Run the task."""
        return self.run(*args, **message)


def store(task: Task, message: dict[str, Any]) -> str:
    """Return how many episodes of *message* were stored. Raises `Buried` where some or all became dead letters.

    Raises `Retry` when the message has been sent again under the same id, for nothing could be stored or buried.
    """
    receipts = insist(task, lambda: _receipts(task, message), message)
    names = parts().settings.names_in_flower
    scope = _scope(message) if receipts else None
    whose = "" if scope is None else results.named(scope) if names else f"scope {scope.id}"
    return results.of_receipts(receipts, whose=whose)


def insist(task: Task, attempt: Callable[[], T | None], message: Mapping[str, Any]) -> T:
    """Return what the first *attempt* gives that succeeds; None is a failure.

    Raises `Retry` when time is up and the task's *message* has been sent again under the same id.
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
    except SoftTimeLimitExceeded as error:  # the database froze in the middle of a statement
        raise _sent_again(task, message) from error


def _receipts(task: Task, message: dict[str, Any]) -> Sequence[Receipt] | None:
    """Store *message*, or bury it where something nobody foresaw is in the way; return None to try again later."""
    try:
        return storing.ingest(parts(), message, id_=task.request.id)
    except (Unavailable, Conflict, MemoryError):
        return None
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:  # noqa: BLE001  # the edge of the process: an acknowledged message is kept whatever fails
        log.error("ingest %s: %s", task.request.id, type(error).__name__)
        return [] if _buried(message, type(error).__name__) else None


def _buried(message: dict[str, Any], reason: str) -> bool:
    try:
        parts().inbox.bury([Refused(message, "fault", reason)], scope=None)
        return True
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:  # noqa: BLE001  # not even that: perhaps the schema is not there yet
        log.error("a message could not be buried: %s", type(error).__name__)
        return False


def _scope(message: Mapping[str, Any]) -> Scope:
    return IngestMessage.read(message)[1]


def _sent_again(task: Task, message: Mapping[str, Any]) -> Retry:
    try:
        queue.send(task.name, kwargs=message, task_id=task.request.id)
    except Unavailable as error:
        raise Reject(error.message, requeue=True) from error
    return results.again("Postgres is away; the message waits in the queue")
