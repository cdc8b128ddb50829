"""Turns malformed messages into dead letters of the installation, since their tenant is unknown."""

import json
from typing import Any, cast

import redis

from slowwave.broker import queue
from slowwave.domain.dead_letter import Refused
from slowwave.domain.scope import SYSTEM_TENANT
from slowwave.errors import Conflict, Unavailable
from slowwave.formatting.quantities import counted
from worker.parts import parts
from worker.results import Buried

BATCH = 100
"""Dead letters per transaction."""
WHERE = f"see `slowwave dead-letters list --tenant {SYSTEM_TENANT}`"


def bury() -> str | None:
    """Turn malformed messages into dead letters; return a sentence if there were none, None if a service is down.

    Raises `Buried` if there were any, so that the task is red in Flower, like every dead letter.
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
