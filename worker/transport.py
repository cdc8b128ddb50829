"""The worker's connection to its broker: kombu's Redis transport, which delivers only valid envelopes to Celery.

The transport puts an excerpt of each malformed message into the list `queue.MALFORMED`; `worker.tasks` turns the
excerpts into dead letters, many in one transaction. While Postgres is unreachable, the excerpts stay in the list.
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

from slowwave.broker import queue
from slowwave.broker.envelope import envelope
from slowwave.celery_app import app
from slowwave.errors import Incorrect
from worker import control_commands, malformed

_LOG = logging.getLogger(__name__)

DIRECT = ".dq"
"""The suffix of the names of Celery queues that only one worker reads."""
BELL_EVERY = 100
"""The number of malformed messages between two notifications of a worker. After a notification, the worker processes
all malformed messages.
"""


class _Client(redis.Redis):
    """A Redis client that passes each message taken from a queue through *accept*."""

    def __init__(self, *, accept: Any, **options: Any) -> None:
        super().__init__(**options)
        self._accept = accept

    def parse_response(self, connection: Any, command_name: Any, **options: Any) -> Any:
        """Return a reply of Redis; for a BRPOP, return only a message that Celery can read."""
        reply = super().parse_response(connection, command_name, **options)  # type: ignore[no-untyped-call]  # untyped
        return self._accept(*reply) if command_name == "BRPOP" and reply else reply


class QoS(kombu_redis.QoS):
    """The messages that this worker has received but not acknowledged.

    A message that cannot be acknowledged now is dropped. A message that stays unacknowledged would occupy a slot of the
    worker for ever. Redis delivers a dropped message again later; to process a message twice is safe.
    """

    def ack(self, delivery_tag: str) -> None:
        """Acknowledge a message. Raises the broker's error while the broker is unreachable."""
        with self._let_go(delivery_tag):
            super().ack(delivery_tag)  # type: ignore[no-untyped-call]  # untyped

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Refuse a message, or put it back into its queue. Raises the broker's error if the broker is unreachable."""
        with self._let_go(delivery_tag):
            super().reject(delivery_tag, requeue=requeue)  # type: ignore[no-untyped-call]  # untyped

    def restore_by_tag(self, tag: Any, client: Any = None, leftmost: bool = False) -> None:
        """Put an unacknowledged message back into its queue. A malformed message goes to the list `queue.MALFORMED`."""
        try:
            super().restore_by_tag(tag, client, leftmost)  # type: ignore[no-untyped-call]  # untyped
        except (TypeError, ValueError, LookupError, AttributeError, RecursionError, redis.DataError) as error:
            self.channel.put_aside_unacked(tag, type(error).__name__)

    @contextmanager
    def _let_go(self, delivery_tag: str) -> Iterator[None]:
        try:
            yield
        except (redis.RedisError, OSError):
            virtual.QoS.ack(self, delivery_tag)  # type: ignore[no-untyped-call]  # untyped
            raise


class Channel(kombu_redis.Channel):
    """A channel that removes malformed messages from its queues."""

    QoS = QoS

    _excerpts: ClassVar[list[str]] = []  # excerpts to write once Redis has memory again

    def _get_client(self) -> Any:
        return partial(_Client, accept=self._accept)

    def _handle_message(self, client: Any, r: Any) -> dict[str, Any]:
        """Return a published message. A malformed control command becomes None, which Celery ignores."""
        message: dict[str, Any] = super()._handle_message(client, r)  # type: ignore[no-untyped-call]  # untyped
        if isinstance(message["data"], bytes) and message["channel"].decode("utf-8", "replace").endswith(
            control_commands.MAILBOX
        ):
            try:
                control_commands.refuse_malformed(message["data"])
            except Incorrect as error:
                _LOG.warning("ignored a malformed control command that was published to workers: %s", error.message)
                message["data"] = None
        return message

    def _accept(self, key: bytes, raw: bytes) -> tuple[bytes, bytes] | None:
        """Return the key of the queue and the message, or None to skip the message.

        A malformed message is replaced by a task that makes dead letters, or skipped if no such task is needed. Flower
        also loads the worker's app, and reads the answers of workers from its own queues. These answers pass unchanged.
        """
        source = key.decode().rsplit(self.sep, 1)[0]
        if source != queue.QUEUE and not source.endswith(DIRECT):
            return key, raw
        try:
            message = malformed.read(raw, source=source, tasks=app.tasks)
        except Incorrect as error:
            self._excerpts.append(malformed.excerpt(raw, source=source, error=error))
            if not self._move_excerpts():
                return None
            message = envelope(queue.BURY, [], {}, task_id=str(uuid.uuid4()), queue=source)
        return key, json.dumps(message).encode()

    def put_aside_unacked(self, tag: bytes | str, trouble: str) -> None:
        """Move a malformed, unacknowledged message to `queue.MALFORMED`, and queue a task that makes dead letters."""
        error = Incorrect(f"an unacknowledged message cannot be returned to its queue ({trouble})")
        task = envelope(queue.BURY, [], {}, task_id=str(uuid.uuid4()), queue=queue.QUEUE)
        with self.conn_or_acquire() as client:
            raw = client.hget(self.unacked_key, tag) or b""
            with client.pipeline() as lines:
                lines.rpush(queue.MALFORMED, malformed.excerpt(raw, source=self.unacked_key, error=error))
                lines.hdel(self.unacked_key, tag)
                lines.zrem(self.unacked_index_key, tag)
                lines.lpush(queue.QUEUE, json.dumps(task))
                lines.execute()

    def _move_excerpts(self) -> bool:
        """Move excerpts to `queue.MALFORMED`; return whether a worker must be notified."""
        count = len(self._excerpts)
        try:
            with self.conn_or_acquire() as client:
                waiting = int(client.rpush(queue.MALFORMED, *self._excerpts))
        except redis.RedisError as error:
            _LOG.warning(
                "%d malformed messages are not stored yet: the broker does not accept them (%s)",
                count,
                type(error).__name__,
            )
            return False
        self._excerpts.clear()
        return waiting == count or waiting % BELL_EVERY < count


class Transport(kombu_redis.Transport):
    """kombu's Redis transport with `Channel`."""

    Channel = Channel


def install() -> None:
    """Make this process use this transport for every Redis, and parse JSON without the extensions of kombu.

    With its extensions, kombu converts objects like `{"__type__": …, "__value__": …}` to other values, or crashes.
    """
    register(  # type: ignore[no-untyped-call]  # untyped
        "json", kombu_json.dumps, json.loads, content_type="application/json", content_encoding="utf-8"
    )
    for scheme in ("redis", "rediss"):
        TRANSPORT_ALIASES[scheme] = f"{__name__}:{Transport.__name__}"
