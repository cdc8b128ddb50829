"""Keeps a message that carries content until what it carries is stored, or is back in the queue."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from celery import Task
from celery.exceptions import Reject, SoftTimeLimitExceeded
from celery.utils.log import get_task_logger

from slowwave import clock, queue
from slowwave.domain.dead_letter import Refused
from slowwave.errors import Conflict, Unavailable
from slowwave.memory import storing
from slowwave.threads import Pause
from worker.parts import parts

SHARE = 0.8
"""How much of the soft time limit is waited away; the rest is for the attempt that is under way by then."""
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.1, 15.0

log = get_task_logger(__name__)


class Letterbox(Task):  # type: ignore[misc]  # Celery has no types
    """A task whose message may bring any keyword argument, even one named `self`."""

    abstract = True

    def __call__(self, /, *args: Any, **message: Any) -> Any:
        """Run the task."""
        return self.run(*args, **message)


def store_or_send_again(task: Task, message: dict[str, Any]) -> None:
    """Return once *message* is stored or buried, or has been sent again under the same id."""
    insist(task, lambda: _stored(task, message), message)


def insist(task: Task, attempt: Callable[[], bool], message: Mapping[str, Any]) -> None:
    """Return once an *attempt* has succeeded, or the task's *message* has been sent again under the same id."""
    end = clock.monotonic() + SHARE * task.soft_time_limit
    pause = Pause(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)
    try:
        while not attempt():
            if clock.monotonic() + pause.seconds >= end:
                return _send_again(task, message)
            time.sleep(pause.seconds)
            pause.double()
    except SoftTimeLimitExceeded:  # the database froze in the middle of a statement
        _send_again(task, message)


def _stored(task: Task, message: dict[str, Any]) -> bool:
    """Store *message*, or bury it where something nobody foresaw is in the way; return False to try again later."""
    try:
        storing.ingest(parts(), message, id_=task.request.id)
        return True
    except (Unavailable, Conflict):
        return False
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:  # noqa: BLE001  # the edge of the process: an acknowledged message is kept whatever fails
        log.error("ingest %s: %s", task.request.id, type(error).__name__)
        return _buried(message, type(error).__name__)


def _buried(message: dict[str, Any], reason: str) -> bool:
    try:
        parts().inbox.bury([Refused(message, "fault", reason)], scope=None)
        return True
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:  # noqa: BLE001  # not even that: perhaps the schema is not there yet
        log.error("a message could not be buried: %s", type(error).__name__)
        return False


def _send_again(task: Task, message: Mapping[str, Any]) -> None:
    try:
        queue.send(task.name, kwargs=message, task_id=task.request.id)
    except Unavailable as error:
        raise Reject(error.message, requeue=True) from error
