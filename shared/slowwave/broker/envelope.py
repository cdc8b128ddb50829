"""Celery messages of protocol 2 in kombu's Redis format, made without Celery and readable by any worker."""

import base64
import json
import os
import socket
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

UNSHOWN = "{…}"
"""The text that Flower and logs show instead of a message's arguments that hold a user's words."""
_SHOWN_CHARACTERS = 1024
"""The maximum number of characters of a message's arguments that Flower and logs show. These arguments are ids."""


def envelope(
    task: str, args: Sequence[Any], kwargs: Mapping[str, Any], *, task_id: str, queue: str, shown: str | None = None
) -> dict[str, Any]:
    """Return a message of Celery's protocol 2 in kombu's Redis format. The headers contain no text of a user.

    *shown* is the text that Flower and logs show for the arguments. By default, they show the arguments, which are ids.
    The delivery tag is new, because messages with the same tag would be acknowledged together.
    """
    embedded = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}
    body = _json([list(args), dict(kwargs), embedded])
    return {
        "body": base64.b64encode(body).decode(),
        "content-type": "application/json",
        "content-encoding": "utf-8",
        "headers": {
            "lang": "py",
            "task": task,
            "id": task_id,
            "root_id": task_id,
            "parent_id": None,
            "group": None,
            "group_index": None,
            "shadow": None,
            "eta": None,
            "expires": None,
            "retries": 0,
            "timelimit": [None, None],
            "argsrepr": (repr(list(args)) if shown is None else shown)[:_SHOWN_CHARACTERS],
            "kwargsrepr": UNSHOWN if kwargs else "{}",
            "origin": f"gen{os.getpid()}@{socket.gethostname()}",
            "ignore_result": True,
            "replaced_task_nesting": 0,
            "stamped_headers": None,
            "stamps": {},
        },
        "properties": {
            "correlation_id": task_id,
            "reply_to": "",
            "delivery_mode": 2,
            "delivery_info": {"exchange": "", "routing_key": queue},
            "priority": 0,
            "body_encoding": "base64",
            "delivery_tag": str(uuid.uuid4()),
        },
    }


def _json(call: list[Any]) -> bytes:
    try:
        return json.dumps(call, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # a lone surrogate reaches the error report only as an escape
        return json.dumps(call).encode()
