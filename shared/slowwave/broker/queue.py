"""The queue of messages to workers, through Redis alone: task names, notifications, and confirmations to clients.

A message carries ids and means "look now". It may be lost, duplicated, delayed or undeliverable, since Postgres holds
the due work. Only `slowwave.ingest` carries episodes, for agents that reach only the broker. Messages have Celery's
format (protocol 2, in kombu's Redis layout); only workers and schedulers use Celery itself.
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

if TYPE_CHECKING:  # its import costs as much as the rest of a client, so it is loaded at first use
    import redis

QUEUE = "slowwave"
ASK_QUEUE = "slowwave.ask"
"""The queue of model calls, which take minutes: a separate worker may serve it. Polling workers do not use it."""
INGEST = "slowwave.ingest"
ROLL_CALL = "slowwave.roll_call"
BURY = "slowwave.bury"
OURS = "slowwave."
"""The prefix of all our task names."""
MALFORMED = "slowwave.malformed"
"""The Redis list of unparsable messages, until a worker has stored them as dead letters."""
BREAK_SECONDS = 5.0
"""Seconds without notifications after the broker failed."""
CLOSE_SECONDS = 1.0
"""Seconds that an ending process waits for its last notifications; the scheduler repeats what a broker missed."""
MOST_CALLS = 100
"""The most notifications in the queue of model calls."""
DEEPEST = 10_000
"""The most notifications in the queue; with more, workers have work anyway."""

RECEIPTS = "slowwave.receipts."
"""The prefix, before a client's id, of the Redis list in which workers confirm its episodes."""
CONFIRMED_AT_ONCE = 1_000
CONFIRMED_AT_MOST = 100_000
CONFIRMED_SECONDS = 24 * 3600

_ANSWER_SECONDS = 3
"""Seconds that a broker may take for one answer once connected."""
_broker_url: str | None = None


def configure(broker_url: str | None) -> None:
    """Let this process notify workers through *broker_url*; without one, workers poll."""
    global _broker_url
    _broker_url = broker_url


def notify_workers(scope: uuid.UUID, job: str) -> None:
    """Notify some worker to look at *scope* now. Raises `Unavailable` when the broker is down.

    Notifications of model calls are interchangeable, and polling workers read none, so at most `MOST_CALLS` are queued.
    """
    if job not in CALLS:
        return send(f"{OURS}{job}", [str(scope)])
    if depth(ASK_QUEUE) < MOST_CALLS:
        send(f"{OURS}{job}", [str(scope)], queue=ASK_QUEUE)


def call(node: str) -> None:
    """Ask only the worker with this node name to record its progress in Postgres. Raises `Unavailable`."""
    send(ROLL_CALL, [node], queue=f"{node}.dq2")  # the queue of that worker alone


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
    """A client's own connection to a broker, independent of the process's. For one thread at a time."""

    def __init__(self, broker_url: str) -> None:
        self._broker_url = broker_url

    def send(self, task: str, kwargs: Mapping[str, Any]) -> None:
        """Publish one message; the broker has accepted it on return. Raises `Unavailable`."""
        _publish(self._client, task, (), kwargs, task_id=None, queue=QUEUE)

    def confirmed(self, client: str) -> list[tuple[uuid.UUID, str | None]]:
        """Take and return the confirmations for *client*: ids of episodes, each with the reason of a refusal, or None.

        Raises `Unavailable`.
        """
        with answered():
            said = self._client.lpop(RECEIPTS + client, CONFIRMED_AT_ONCE)
        return [pair for line in cast(list[str] | None, said) or [] if (pair := _receipt(line))]

    def close(self) -> None:
        """Close the connection; a later message opens a new one."""
        if "_client" in vars(self):
            self._client.close()

    @cached_property
    def _client(self) -> "redis.Redis":
        return redis_client(self._broker_url)


def receipts_of(broker_url: str, client: str) -> str:
    """Return the id for confirmations to *client*, prefixed with its user on the broker, if it has one.

    A broker may restrict each user to its own receipts: those that begin with the user's name.

    >>> receipts_of("redis://kitchen:secret@broker:6379/0", "5f2c"), receipts_of("redis://broker:6379/0", "5f2c")
    ('kitchen_5f2c', '5f2c')
    """
    user = unquote(urlsplit(broker_url).username or "")
    return f"{user}_{client}" if user else client


def confirm(broker_url: str, client: str, settled: Sequence[tuple[uuid.UUID, str | None]]) -> None:
    """Confirm to *client* which episodes are stored, or why they are refused. Raises `Unavailable`.

    A client that never reads costs the broker at most `CONFIRMED_AT_MOST` lines for a day.
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
    """Notifies workers in the background: repeated requests for a scope are sent as one notification.

    A broker that is down, frozen or full does not delay the caller; after a failure nothing is sent for
    `BREAK_SECONDS`, and the scheduler's tick repeats what was missed.
    """

    def __init__(self) -> None:
        self._wanted: dict[tuple[uuid.UUID, str], None] = {}
        self._thread = Background(self._deliver, name="bell")
        self._closed = False
        self._silent_until = 0.0

    @property
    def healthy(self) -> bool:
        """True if the last notification was sent."""
        return clock.monotonic() >= self._silent_until

    def ring(self, scope: uuid.UUID, job: str) -> None:
        """Request a notification; returns at once."""
        if not self.healthy:
            return
        with self._thread.change:
            if self._closed or len(self._wanted) >= DEEPEST:
                return
            self._wanted[scope, job] = None
            self._thread.wanted()

    def close(self) -> None:
        """Send the remaining notifications, as far as the broker accepts them, and stop."""
        with self._thread.change:
            self._closed = True
            self._thread.change.notify_all()
        self._thread.join(CLOSE_SECONDS)

    def _deliver(self) -> None:
        while True:
            with self._thread.change:
                while not self._wanted and not self._closed:
                    self._thread.change.wait()
                if not self._wanted:
                    return
                wanted, self._wanted = list(self._wanted), {}
            try:
                for scope, job in wanted:
                    notify_workers(scope, job)
            except Unavailable:
                self._silent_until = clock.monotonic() + BREAK_SECONDS


def refuse_evicting_broker(url: str) -> None:
    """Raise `Incorrect` if the broker may evict messages: it needs `maxmemory-policy noeviction`.

    Raises `Unavailable` when it does not answer.
    """
    with answered(), redis_client(url) as client:
        policy = str(client.config_get("maxmemory-policy").get("maxmemory-policy", "noeviction"))
    if policy != "noeviction":
        raise Incorrect(
            f"the broker may evict messages: its maxmemory-policy is {policy}",
            hint="give the broker a Redis of its own with `maxmemory-policy noeviction`",
        )


def redis_client(url: str) -> "redis.Redis":
    """Return a client for a broker or cache address, in either notation for sockets.

    It does not retry: callers handle failures, and a repeated message could arrive twice.
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
    """Return a broker's address in the notation of redis-py and `redis-cli -u`; Celery's differs for sockets.

    >>> redis_address("redis+socket:///run/redis.sock?virtual_host=0")
    'unix:///run/redis.sock?db=0'
    """
    return url.replace("redis+socket://", "unix://").replace("virtual_host=", "db=")


@cache
def _lasting_client(url: str) -> "redis.Redis":
    return redis_client(url)  # its pool is thread-safe, and detects a fork


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
    """Return the content of a confirmation, None if it is invalid: anyone who reaches the broker may write there."""
    try:
        id_, reason = json.loads(line)
        return uuid.UUID(id_), None if reason is None else str(reason)
    except (ValueError, TypeError, AttributeError):
        return None
