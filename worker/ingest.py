"""Ingests episodes from the queue: keeps a message until what it carries is stored, or is back in the queue."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from celery import Task
from celery.exceptions import Reject, Retry, SoftTimeLimitExceeded
from celery.utils.log import get_task_logger

from slowwave import clock, queue
from slowwave.domain.dead_letter import Refused
from slowwave.domain.message import IngestMessage, tenant_of
from slowwave.domain.receipt import Receipt
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, Unavailable, Unprepared, broke
from slowwave.memory import storing
from slowwave.threads import Pause
from worker import results
from worker.parts import parts

SHARE = 0.8
"""How much of the soft time limit is waited away; the rest is for the attempt that is under way by then."""
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.1, 15.0
TRIES = 6
"""How often a message is tried over which our own code breaks, in some six seconds, before it is sent again."""
MOST_BROKEN = 1000
"""As many such messages are known at a time; of one that is forgotten the patience begins anew."""

log = get_task_logger(__name__)
T = TypeVar("T")


class Witness:
    """The messages over which our own code broke in this process, since when, and when one was stored last."""

    def __init__(self) -> None:
        self._broken: dict[str, float] = {}
        self._stored = float("-inf")

    def stored(self, id_: str) -> None:
        """A message was stored."""
        self._broken.pop(id_, None)
        self._stored = clock.monotonic()

    def guilty(self, id_: str) -> bool:
        """Return whether others were stored since our code first broke over a message: then it is not our trouble."""
        while len(self._broken) >= MOST_BROKEN:
            self._broken.pop(next(iter(self._broken)), None)
        return self._broken.setdefault(id_, clock.monotonic()) < self._stored


witness = Witness()


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
    """Store *message*; return None to try again later.

    One over which our own code breaks is tried a few times and sent again, until others were stored meanwhile: then it
    becomes dead letters. So does at once what cannot even be read.
    """
    id_, pause = task.request.id, Pause(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)
    for left in reversed(range(TRIES)):
        try:
            receipts = storing.ingest(parts(), message, id_=id_)
        except SoftTimeLimitExceeded:
            raise
        except (Unavailable, Conflict, MemoryError):
            return None
        except Unprepared as error:
            log.error("ingest %s waits: %s", id_, error.message)
            return None
        except Exception as error:  # the edge of the process: an acknowledged message is kept whatever fails
            log.error("ingest %s: %s", id_, broke(error))
            readable = _scope(message) is not None
            guilty = witness.guilty(id_)
            if not readable or (guilty and not left):
                return _buried(message, broke(error), id_=id_, readable=readable)
            if not left:
                raise _sent_again(task, message, "our own code breaks over it") from error
        else:
            witness.stored(id_)
            return receipts
        time.sleep(pause.seconds)
        pause.double()
    return None


def _buried(message: dict[str, Any], reason: str, *, id_: str, readable: bool) -> Sequence[Receipt] | None:
    """Make dead letters of *message*: of its episodes where it is *readable*, else of all of it; None to try later."""
    try:
        if readable:
            return storing.give_up(parts(), message, reason, id_=id_)
        parts().inbox.bury([Refused(message, "fault", reason)], scope=tenant_of(message))
        return []
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:  # noqa: BLE001  # not even that: perhaps the schema is not there yet
        log.error("a message could not be buried: %s", broke(error))
        return None


def _scope(message: Mapping[str, Any]) -> Scope | None:
    """Return whose *message* is; None for what cannot be read."""
    try:
        return IngestMessage.read(message)[1]
    except SoftTimeLimitExceeded:
        raise
    except Exception:  # noqa: BLE001  # whatever it is over which the reading breaks
        return None


def _sent_again(task: Task, message: Mapping[str, Any], why: str = "nothing can be stored now") -> Retry:
    try:
        queue.send(task.name, kwargs=message, task_id=task.request.id)
    except Unavailable as error:
        raise Reject(error.message, requeue=True) from error
    return results.again(f"{why}; the message waits in the queue")
