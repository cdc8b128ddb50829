"""The queue of messages to workers, through Redis alone: task names, notifications, and confirmations to clients.

A message carries ids and asks a worker to look for work now. A message may be lost, duplicated, delayed or
undeliverable, because Postgres stores the due work. Only messages of `slowwave.ingest` carry episodes, for agents that
reach only the broker. Messages have Celery's format (protocol 2, in kombu's Redis layout). Only workers and schedulers
use Celery itself.
"""

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote, urlsplit

from slowwave.broker.envelope import envelope
from slowwave.domain.job_table import CALLS
from slowwave.errors import Incorrect, Unavailable
from slowwave.runtime import clock
from slowwave.threads import Background

if TYPE_CHECKING:  # loaded at first use: the import takes as long as all other imports of a client
    import redis

QUEUE = "slowwave"
ASK_QUEUE = "slowwave.ask"
"""The queue of model calls, which take minutes. A separate worker may read this queue. Polling workers do not use it.
"""
INGEST = "slowwave.ingest"
ROLL_CALL = "slowwave.roll_call"
BURY = "slowwave.bury"
OURS = "slowwave."
"""The prefix of all our task names."""
MALFORMED = "slowwave.malformed"
"""The Redis list of unparsable messages, until a worker has stored them as dead letters."""
BREAK_SECONDS = 5.0
"""The number of seconds without notifications after a failure of the broker."""
CLOSE_SECONDS = 1.0
"""The number of seconds that an ending process waits for its last notifications. The scheduler repeats lost
notifications.
"""
MOST_CALLS = 100
"""The maximum number of notifications in the queue of model calls."""
DEEPEST = 10_000
"""The maximum number of notifications in the queue. With more notifications, workers have enough work already."""

RECEIPTS = "slowwave.receipts."
"""The prefix of the Redis list in which workers confirm a client's episodes. The id of the client follows the prefix.
"""
CONFIRMED_AT_ONCE = 1_000
CONFIRMED_AT_MOST = 100_000
CONFIRMED_SECONDS = 24 * 3600

_ANSWER_SECONDS = 3
"""The number of seconds that a connected broker may take for one reply."""
_broker_url: str | None = None


def configure(broker_url: str | None) -> None:
    """Let this process notify workers through *broker_url*. If *broker_url* is None, workers poll."""
    global _broker_url
    _broker_url = broker_url


def notify_workers(scope: uuid.UUID, job: str, cell: str = "") -> None:
    """Notify a worker to look at *scope* now, in *cell* if there are cells. Raises `Unavailable` when the broker is
    down.

    Notifications of model calls are interchangeable, and polling workers do not read them. Therefore at most
    `MOST_CALLS` of these notifications are queued.
    """
    arguments = [str(scope), cell] if cell else [str(scope)]
    if job not in CALLS:
        return send(f"{OURS}{job}", arguments)
    if depth(ASK_QUEUE) < MOST_CALLS:
        send(f"{OURS}{job}", arguments, queue=ASK_QUEUE)


def call(node: str) -> None:
    """Ask the worker with this node name to record its progress in Postgres. Raises `Unavailable`."""
    send(ROLL_CALL, [node], queue=f"{node}.dq2")  # the queue that only this worker reads


def send(
    task: str,
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    task_id: str | None = None,
    queue: str = QUEUE,
) -> None:
    """Publish one message, without retries. Raises `Unavailable` when the broker is down."""
    if _broker_url is None:
        raise Unavailable("no broker is configured", hint="set SLOWWAVE_BROKER_URL")
    _publish(_lasting_client(_broker_url), task, args, kwargs or {}, task_id=task_id, queue=queue)


def _publish(
    client: "redis.Redis", task: str, args: Sequence[Any], kwargs: Mapping[str, Any], *, task_id: str | None, queue: str
) -> None:
    message = envelope(task, args, kwargs, task_id=task_id or str(uuid.uuid4()), queue=queue)
    with answered("does not take messages", retry_after_seconds=BREAK_SECONDS):
        client.lpush(queue, json.dumps(message))


class MessageSender:
    """A client's own connection to a broker, independent of the process's connection. Only one thread may use it."""

    def __init__(self, broker_url: str) -> None:
        self._broker_url = broker_url

    def send(self, task: str, kwargs: Mapping[str, Any]) -> None:
        """Publish one message. After the return, the broker has accepted the message. Raises `Unavailable`."""
        _publish(self._client, task, (), kwargs, task_id=None, queue=QUEUE)

    def confirmed(self, client: str) -> list[tuple[uuid.UUID, str | None]]:
        """Take the confirmations for *client*: ids of episodes, each with None or the reason of a refusal.

        Raises `Unavailable`.
        """
        with answered():
            confirmations = self._client.lpop(RECEIPTS + client, CONFIRMED_AT_ONCE)
        return [pair for line in cast(list[str] | None, confirmations) or [] if (pair := _receipt(line))]

    def close(self) -> None:
        """Close the connection. A later message opens a new connection."""
        if "_client" in vars(self):
            self._client.close()

    @cached_property
    def _client(self) -> "redis.Redis":
        return redis_client(self._broker_url)


def receipts_of(broker_url: str, client: str) -> str:
    """Return the id for confirmations to *client*. If *broker_url* has a user name, the id begins with this name.

    Therefore a broker can limit each user to the receipts under the user's own name.

    >>> receipts_of("redis://kitchen:secret@broker:6379/0", "5f2c"), receipts_of("redis://broker:6379/0", "5f2c")
    ('kitchen_5f2c', '5f2c')
    """
    user = unquote(urlsplit(broker_url).username or "")
    return f"{user}_{client}" if user else client


def confirm(broker_url: str, client: str, settled: Sequence[tuple[uuid.UUID, str | None]]) -> None:
    """Confirm to *client* the stored episodes, and the refused episodes with the reasons. Raises `Unavailable`.

    If a client never reads its confirmations, the broker stores at most `CONFIRMED_AT_MOST` lines for a day.
    """
    if not settled:
        return
    key = RECEIPTS + client
    with answered(), _lasting_client(broker_url).pipeline() as lines:
        lines.rpush(key, *(json.dumps([str(id_), reason]) for id_, reason in settled))
        lines.ltrim(key, -CONFIRMED_AT_MOST, -1)
        lines.expire(key, CONFIRMED_SECONDS)
        lines.execute()


def depth(queue: str = QUEUE) -> int:
    """Return the number of messages in a *queue*. Raises `Unavailable` when the broker is down."""
    if _broker_url is None:
        raise Unavailable("no broker is configured", hint="set SLOWWAVE_BROKER_URL")
    with answered():
        return int(_lasting_client(_broker_url).llen(queue))


class WorkerNotifier:
    """Notifies workers in the background, about scopes of one *cell* if there are cells.

    Repeated requests for a scope are sent as one notification.

    A broker that is down, frozen or full does not delay the caller. After a failure, no notification is sent for
    `BREAK_SECONDS`. The scheduler's tick repeats lost notifications.
    """

    def __init__(self, cell: str = "") -> None:
        self._cell = cell
        self._wanted: dict[tuple[uuid.UUID, str], None] = {}
        self._thread = Background(self._deliver, name="bell")
        self._silent_until = 0.0

    @property
    def healthy(self) -> bool:
        """True unless a notification failed within the last `BREAK_SECONDS`."""
        return clock.monotonic() >= self._silent_until

    def ring(self, scope: uuid.UUID, job: str) -> None:
        """Request a notification. The method returns at once."""
        if not self.healthy:
            return
        with self._thread.change:
            if self._thread.closed or len(self._wanted) >= DEEPEST:
                return
            self._wanted[scope, job] = None
            self._thread.wanted()

    def close(self) -> None:
        """Send the remaining notifications, if the broker accepts them, and stop."""
        self._thread.close(CLOSE_SECONDS)

    def _deliver(self) -> None:
        while True:
            with self._thread.change:
                while not self._wanted and not self._thread.closed:
                    self._thread.change.wait()
                if not self._wanted:
                    return
                wanted, self._wanted = list(self._wanted), {}
            try:
                for scope, job in wanted:
                    notify_workers(scope, job, self._cell)
            except Unavailable:
                self._silent_until = clock.monotonic() + BREAK_SECONDS


def refuse_evicting_broker(url: str) -> None:
    """Raise `Incorrect` if the broker may evict messages. A broker needs the setting `maxmemory-policy noeviction`.

    Raises `Unavailable` if the broker does not reply.
    """
    with answered(), redis_client(url) as client:
        policy = str(client.config_get("maxmemory-policy").get("maxmemory-policy", "noeviction"))
    if policy != "noeviction":
        raise Incorrect(
            f"the broker may evict messages: its maxmemory-policy is {policy}",
            hint="give the broker a Redis of its own with `maxmemory-policy noeviction`",
        )


def redis_client(url: str) -> "redis.Redis":
    """Return a client for the address of a broker or a cache. Both notations for sockets are accepted.

    The client does not retry, because callers handle failures, and a repeated message could arrive twice.
    """
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    return redis.Redis.from_url(
        redis_address(url),
        socket_timeout=_ANSWER_SECONDS,
        socket_connect_timeout=2,
        retry=Retry(NoBackoff(), 0),
        decode_responses=True,
    )


def redis_address(url: str) -> str:
    """Return a broker's address in the notation of redis-py and `redis-cli -u`.

    Celery has a different notation for sockets.

    >>> redis_address("redis+socket:///run/redis.sock?virtual_host=0")
    'unix:///run/redis.sock?db=0'
    """
    return url.replace("redis+socket://", "unix://").replace("virtual_host=", "db=")


@cache
def _lasting_client(url: str) -> "redis.Redis":
    return redis_client(url)  # the pool of the client is thread-safe, and detects a fork


@contextmanager
def answered(otherwise: str = "does not answer", *, retry_after_seconds: float = 1.0) -> Iterator[None]:
    """Run the block, which calls the broker. Raises `Unavailable` if the broker is down."""
    import redis

    try:
        yield
    except (redis.RedisError, OSError) as error:
        raise Unavailable(
            f"the broker {otherwise} ({type(error).__name__})", retry_after_seconds=retry_after_seconds
        ) from error


def _receipt(line: str) -> tuple[uuid.UUID, str | None] | None:
    """Return the content of a confirmation; None if it is invalid. Any client of the broker can write confirmations."""
    try:
        id_, reason = json.loads(line)
        return uuid.UUID(id_), None if reason is None else str(reason)
    except (ValueError, TypeError, AttributeError):
        return None
