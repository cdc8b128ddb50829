"""The worker's way to its broker: kombu's Redis transport, which hands on sound envelopes only.

What is malformed goes from the queue to the list `queue.MALFORMED` as an excerpt, and becomes a dead letter from there
(`worker.dead_letters`), many in one transaction. While Postgres is away it waits in that list.
"""

import json
import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, ClassVar

import redis
from kombu.serialization import register
from kombu.transport import TRANSPORT_ALIASES, virtual
from kombu.transport import redis as kombu_redis
from kombu.utils import json as kombu_json

from slowwave import queue
from slowwave.celery_app import app
from slowwave.envelope import envelope
from slowwave.errors import Incorrect
from worker import malformed, orders

_LOG = logging.getLogger(__name__)

DIRECT = ".dq"
"""How Celery ends the name of a queue that one worker alone listens to."""
BELL_EVERY = 100
"""After how many malformed messages a worker is told of them again; once it is told, it takes all there are."""


class _Client(redis.Redis):
    """A client that lets *accept* look at what it takes from a queue."""

    def __init__(self, *, accept: Any, **options: Any) -> None:
        super().__init__(**options)
        self._accept = accept

    def parse_response(self, connection: Any, command_name: Any, **options: Any) -> Any:
        """Return a reply; of what BRPOP takes, only a message that Celery can read."""
        reply = super().parse_response(connection, command_name, **options)  # type: ignore[no-untyped-call]  # has no types
        return self._accept(*reply) if command_name == "BRPOP" and reply else reply


class QoS(kombu_redis.QoS):
    """The messages this worker has in hand; one that cannot be acknowledged for now is out of its hands all the same.

    Kept, it would take one of the worker's slots for ever. Redis gives it back later, and it is safe to repeat.
    """

    def ack(self, delivery_tag: str) -> None:
        """Acknowledge a message. Raises the broker's error when it is away."""
        with self._let_go(delivery_tag):
            super().ack(delivery_tag)  # type: ignore[no-untyped-call]  # has no types

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Refuse a message, or put it back into its queue. Raises the broker's error when it is away."""
        with self._let_go(delivery_tag):
            super().reject(delivery_tag, requeue=requeue)  # type: ignore[no-untyped-call]  # has no types

    def restore_by_tag(self, tag: Any, client: Any = None, leftmost: bool = False) -> None:
        """Put a message back that somebody died over; what is none goes aside, for it would stop all behind it."""
        try:
            super().restore_by_tag(tag, client, leftmost)  # type: ignore[no-untyped-call]  # has no types
        except (TypeError, ValueError, LookupError, AttributeError, RecursionError, redis.DataError) as error:
            self.channel.put_aside_unacked(tag, type(error).__name__)

    @contextmanager
    def _let_go(self, delivery_tag: str) -> Iterator[None]:
        try:
            yield
        except (redis.RedisError, OSError):
            virtual.QoS.ack(self, delivery_tag)  # type: ignore[no-untyped-call]  # has no types
            raise


class Channel(kombu_redis.Channel):
    """A channel that takes malformed messages out of its queues."""

    QoS = QoS

    _excerpts: ClassVar[list[str]] = []  # what Redis was too full to keep, until it is not

    def _get_client(self) -> Any:
        return partial(_Client, accept=self._accept)

    def _handle_message(self, client: Any, r: Any) -> dict[str, Any]:
        """Return what was published; an order to workers that is none as nothing, which is passed over."""
        told: dict[str, Any] = super()._handle_message(client, r)  # type: ignore[no-untyped-call]  # has no types
        if isinstance(told["data"], bytes) and told["channel"].decode("utf-8", "replace").endswith(orders.MAILBOX):
            try:
                orders.refuse_malformed(told["data"])
            except Incorrect as error:
                _LOG.warning("what was published to workers is no order, and is passed over: %s", error.message)
                told["data"] = None
        return told

    def _accept(self, key: bytes, raw: bytes) -> tuple[bytes, bytes] | None:
        """Return the message under its queue's key; None, or a bell for its letter, where it is malformed.

        Flower, which loads the worker's app too, takes answers of workers from queues of its own: they pass.
        """
        source = key.decode().rsplit(self.sep, 1)[0]
        if source != queue.QUEUE and not source.endswith(DIRECT):
            return key, raw
        try:
            message = malformed.read(raw, source=source, tasks=app.tasks)
        except Incorrect as error:
            self._excerpts.append(malformed.excerpt(raw, source=source, error=error))
            if not self._put_aside():
                return None
            message = envelope(queue.BURY, [], {}, task_id=str(uuid.uuid4()), queue=source)
        return key, json.dumps(message).encode()

    def put_aside_unacked(self, tag: bytes | str, trouble: str) -> None:
        """Move what lies among the messages in hand and is none to the list of the malformed, and have it buried."""
        error = Incorrect(f"what was to be put back is no message ({trouble})")
        told = envelope(queue.BURY, [], {}, task_id=str(uuid.uuid4()), queue=queue.QUEUE)
        with self.conn_or_acquire() as client:
            raw = client.hget(self.unacked_key, tag) or b""
            with client.pipeline() as lines:
                lines.rpush(queue.MALFORMED, malformed.excerpt(raw, source=self.unacked_key, error=error))
                lines.hdel(self.unacked_key, tag)
                lines.zrem(self.unacked_index_key, tag)
                lines.lpush(queue.QUEUE, json.dumps(told))
                lines.execute()

    def _put_aside(self) -> bool:
        """Move what was malformed to its list; return whether a worker has to be told of it."""
        count = len(self._excerpts)
        try:
            with self.conn_or_acquire() as client:
                waiting = int(client.rpush(queue.MALFORMED, *self._excerpts))
        except redis.RedisError as error:
            _LOG.warning("%d malformed messages wait: the broker does not take them (%s)", count, type(error).__name__)
            return False
        self._excerpts.clear()
        return waiting == count or waiting % BELL_EVERY < count


class Transport(kombu_redis.Transport):
    """kombu's Redis transport with our channel."""

    Channel = Channel


def install() -> None:
    """Make this process reach every Redis by way of this transport, and read JSON as JSON.

    kombu would make other values of objects that look like its own (`{"__type__": …, "__value__": …}`), or end.
    """
    register(  # type: ignore[no-untyped-call]  # has no types
        "json", kombu_json.dumps, json.loads, content_type="application/json", content_encoding="utf-8"
    )
    for scheme in ("redis", "rediss"):
        TRANSPORT_ALIASES[scheme] = f"{__name__}:{Transport.__name__}"
