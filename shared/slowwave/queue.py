"""Messages to workers, by Redis alone: the task names, the bell, and what workers confirm to clients.

A message here carries ids and says "look now". It may be lost, doubled, late or dead: what is due stands in
Postgres. Only `slowwave.ingest` carries episodes, for agents that reach nothing but the broker. What is sent is what
Celery sends (protocol 2, as kombu lays it on Redis); Celery itself is a worker's and a scheduler's.
"""

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote, urlsplit

from slowwave import clock
from slowwave.domain.job_table import CALLS
from slowwave.envelope import envelope
from slowwave.errors import Incorrect, Unavailable
from slowwave.threads import Background

if TYPE_CHECKING:  # it costs as much to import as the rest of a client: it is loaded when somebody speaks to a broker
    import redis

QUEUE = "slowwave"
ASK_QUEUE = "slowwave.ask"
"""The queue of calls to models, which take minutes: a worker of its own may listen to it, and pollers ask without."""
INGEST = "slowwave.ingest"
ROLL_CALL = "slowwave.roll_call"
BURY = "slowwave.bury"
OURS = "slowwave."
"""How the name of every task of ours begins."""
MALFORMED = "slowwave.malformed"
"""The Redis list of what lay in a queue and was no message, until a worker has made dead letters of it."""
BREAK_SECONDS = 5.0
"""How long nobody rings after the broker failed."""
CLOSE_SECONDS = 1.0
"""How long a process that ends waits for its last rings; the scheduler announces what a broker in trouble missed."""
MOST_CALLS = 100
"""Bells in the queue of calls beyond which none is added."""
DEEPEST = 10_000
"""Bells in the queue beyond which ringing is pointless: the workers are behind, not asleep."""

RECEIPTS = "slowwave.receipts."
"""Before a client's id, the Redis list in which workers confirm what they stored of it."""
CONFIRMED_AT_ONCE = 1_000
CONFIRMED_AT_MOST = 100_000
CONFIRMED_SECONDS = 24 * 3600

_ANSWER_SECONDS = 3
"""How long a broker that accepts connections may take for one answer."""
_broker_url: str | None = None


def configure(broker_url: str | None) -> None:
    """Let this process ring at *broker_url*; without one it stays silent, and polling does the work."""
    global _broker_url
    _broker_url = broker_url


def ring(scope: uuid.UUID, job: str) -> None:
    """Tell some worker to look at *scope* now. Raises `Unavailable` when the broker is away.

    A call for models is like any other, and where pollers ask nobody may listen: beyond `MOST_CALLS` none is added.
    """
    if job not in CALLS:
        return send(f"{OURS}{job}", [str(scope)])
    if depth(ASK_QUEUE) < MOST_CALLS:
        send(f"{OURS}{job}", [str(scope)], queue=ASK_QUEUE)


def call(node: str) -> None:
    """Ask the worker of that node name, and no other, to sign in Postgres. Raises `Unavailable`."""
    send(ROLL_CALL, [node], queue=f"{node}.dq2")  # the name of the queue that is that worker's own


def send(
    task: str,
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    task_id: str | None = None,
    queue: str = QUEUE,
) -> None:
    """Publish one message, without retries. Raises `Unavailable` when the broker is away."""
    if _broker_url is None:
        raise Unavailable("no broker is configured", hint="set SLOWWAVE_BROKER_URL")
    _publish(_lasting_client(_broker_url), task, args, kwargs or {}, task_id=task_id, queue=queue)


def _publish(
    client: "redis.Redis", task: str, args: Sequence[Any], kwargs: Mapping[str, Any], *, task_id: str | None, queue: str
) -> None:
    message = envelope(task, args, kwargs, task_id=task_id or str(uuid.uuid4()), queue=queue)
    with _answered("does not take messages", retry_after_seconds=BREAK_SECONDS):
        client.lpush(queue, json.dumps(message))


class Line:
    """A client's own connection to a broker, whichever one the process rings at. For one thread at a time."""

    def __init__(self, broker_url: str) -> None:
        self._broker_url = broker_url

    def send(self, task: str, kwargs: Mapping[str, Any]) -> None:
        """Publish one message; it is taken when this returns. Raises `Unavailable`."""
        _publish(self._client, task, (), kwargs, task_id=None, queue=QUEUE)

    def confirmed(self, client: str) -> list[tuple[uuid.UUID, str | None]]:
        """Take and return what workers confirmed to *client*: ids of episodes, each with why it was refused, or None.

        Raises `Unavailable`.
        """
        with _answered():
            said = self._client.lpop(RECEIPTS + client, CONFIRMED_AT_ONCE)
        return [pair for line in cast(list[str] | None, said) or [] if (pair := _receipt(line))]

    def close(self) -> None:
        """Hang up; a later message takes a new connection."""
        if "_client" in vars(self):
            self._client.close()

    @cached_property
    def _client(self) -> "redis.Redis":
        return redis_client(self._broker_url)


def receipts_of(broker_url: str, client: str) -> str:
    """Return the id under which *client* is told what is stored: its user on the broker goes before it, if it has one.

    A broker may let every user read its own receipts alone: those whose name begins with the user's.

    >>> receipts_of("redis://kitchen:secret@broker:6379/0", "5f2c"), receipts_of("redis://broker:6379/0", "5f2c")
    ('kitchen_5f2c', '5f2c')
    """
    user = unquote(urlsplit(broker_url).username or "")
    return f"{user}_{client}" if user else client


def confirm(broker_url: str, client: str, settled: Sequence[tuple[uuid.UUID, str | None]]) -> None:
    """Tell *client* which episodes are stored, or why they are refused. Raises `Unavailable`.

    A client that never asks costs the broker at most `CONFIRMED_AT_MOST` lines for a day.
    """
    if not settled:
        return
    key = RECEIPTS + client
    with _answered(), _lasting_client(broker_url).pipeline() as lines:
        lines.rpush(key, *(json.dumps([str(id_), reason]) for id_, reason in settled))
        lines.ltrim(key, -CONFIRMED_AT_MOST, -1)
        lines.expire(key, CONFIRMED_SECONDS)
        lines.execute()


def depth(queue: str = QUEUE) -> int:
    """Return how many messages wait in a *queue*. Raises `Unavailable` when the broker is away."""
    if _broker_url is None:
        raise Unavailable("no broker is configured", hint="set SLOWWAVE_BROKER_URL")
    with _answered():
        return int(_lasting_client(_broker_url).llen(queue))


class Bell:
    """Rings workers off the caller's path: a scope is rung once however often it is asked for meanwhile.

    A broker that is dead, frozen or full costs the caller nothing; after a failure nobody rings for `BREAK_SECONDS`,
    and the scheduler's tick announces what was missed.
    """

    def __init__(self) -> None:
        self._wanted: dict[tuple[uuid.UUID, str], None] = {}
        self._thread = Background(self._deliver, name="bell")
        self._closed = False
        self._silent_until = 0.0

    @property
    def healthy(self) -> bool:
        """True if the last ring got through."""
        return clock.monotonic() >= self._silent_until

    def ring(self, scope: uuid.UUID, job: str) -> None:
        """Ask for a ring; returns at once."""
        if not self.healthy:
            return
        with self._thread.change:
            if self._closed or len(self._wanted) >= DEEPEST:
                return
            self._wanted[scope, job] = None
            self._thread.wanted()

    def close(self) -> None:
        """Ring what is still wanted, as far as the broker takes it, and stop."""
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
                    ring(scope, job)
            except Unavailable:
                self._silent_until = clock.monotonic() + BREAK_SECONDS


def refuse_evicting_broker(url: str) -> None:
    """Raise `Incorrect` when the broker may throw messages away: it needs `maxmemory-policy noeviction`.

    Raises `Unavailable` when it cannot be asked.
    """
    with _answered(), redis_client(url) as client:
        policy = str(client.config_get("maxmemory-policy").get("maxmemory-policy", "noeviction"))
    if policy != "noeviction":
        raise Incorrect(
            f"the broker may evict messages: its maxmemory-policy is {policy}",
            hint="give the broker a Redis of its own with `maxmemory-policy noeviction`",
        )


def redis_client(url: str) -> "redis.Redis":
    """Return a client for a broker or cache address, whichever of the two ways of writing sockets it uses.

    It tries once: who asks knows what to do meanwhile, and a message that is sent again may be there twice.
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
    """Return a broker's address as redis-py and `redis-cli -u` want it: Celery writes sockets in its own way.

    >>> redis_address("redis+socket:///run/redis.sock?virtual_host=0")
    'unix:///run/redis.sock?db=0'
    """
    return url.replace("redis+socket://", "unix://").replace("virtual_host=", "db=")


@cache
def _lasting_client(url: str) -> "redis.Redis":
    return redis_client(url)  # its pool serves any thread, and notices a fork


@contextmanager
def _answered(otherwise: str = "does not answer", *, retry_after_seconds: float = 1.0) -> Iterator[None]:
    """Give way to what asks the broker. Raises `Unavailable` where the broker is away."""
    import redis

    try:
        yield
    except (redis.RedisError, OSError) as error:
        raise Unavailable(
            f"the broker {otherwise} ({type(error).__name__})", retry_after_seconds=retry_after_seconds
        ) from error


def _receipt(line: str) -> tuple[uuid.UUID, str | None] | None:
    """Return what one confirmation says, None where it is none: whoever reaches the broker may write there."""
    try:
        id_, reason = json.loads(line)
        return uuid.UUID(id_), None if reason is None else str(reason)
    except (ValueError, TypeError, AttributeError):
        return None
