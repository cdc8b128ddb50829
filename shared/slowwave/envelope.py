"""A message of Celery's protocol 2, as kombu lays it on Redis: what any worker reads, made without Celery."""

import base64
import json
import os
import socket
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

UNSHOWN = "{…}"
"""What Flower and the logs show of a message that carries anybody's words."""
_SHOWN_CHARACTERS = 1024
"""Of a message's arguments, which are ids, Flower and the logs show so much."""


def envelope(
    task: str, args: Sequence[Any], kwargs: Mapping[str, Any], *, task_id: str, queue: str, shown: str | None = None
) -> dict[str, Any]:
    """Return a message as Celery's protocol 2 has it and kombu lays it on Redis; its headers show nobody's words.

    *shown* is what Flower and the logs say of its arguments, which are ids: those, if nothing is told. Its tag is new:
    two messages of one tag would be acknowledged together.
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
    except UnicodeEncodeError:  # half a character, which escapes alone can carry to who says what is wrong with it
        return json.dumps(call).encode()
