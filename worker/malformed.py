"""How a worker takes a message in: one that is no task message is let go, and never ends the worker."""

import json
from collections.abc import Callable
from typing import Any

from celery.exceptions import InvalidTaskError
from celery.worker import strategy

from slowwave import queue

MALFORMED = (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError, RecursionError)
"""What Celery raises over a message somebody made by hand. It would restore the message and end: for ever."""


def careful(task: Any, app: Any, consumer: Any, **options: Any) -> Callable[..., Any]:
    """Return Celery's own strategy for *task*, which acknowledges and logs what it cannot read.

    A message of episodes that is malformed as a whole goes to its task all the same, which keeps it as a dead letter.
    """
    handle = strategy.default(task, app, consumer, **options)

    def take(message: Any, body: Any, *rest: Any, **named: Any) -> Any:
        try:
            if body is None and not _is_task(message.payload):
                _make_letter(task, message)
            return handle(message, body, *rest, **named)
        except MALFORMED as error:
            raise InvalidTaskError(f"not a task message ({type(error).__name__})") from error

    return take


def _is_task(payload: Any) -> bool:
    return (
        isinstance(payload, list)
        and len(payload) == 3
        and isinstance(payload[0], list)
        and isinstance(payload[1], dict)
        and isinstance(payload[2], dict | None)
    )


def _make_letter(task: Any, message: Any) -> None:
    if task.name != queue.INGEST:
        raise InvalidTaskError("the body is not [args, kwargs, embed]")
    message._decoded_cache = [[], {"body": message.payload}, {}]
    message.body = json.dumps(message._decoded_cache)
