"""The client for agents that reach only the broker. It sends episodes as messages, and a worker stores the episodes."""

import logging
import threading
import time
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Unpack
from urllib.parse import urlsplit

from pydantic import BeforeValidator, SkipValidation

from slowwave.broker import queue
from slowwave.core.masking import Secrets, masking
from slowwave.domain.arguments import Instance, Name, Seconds, Timeout, checked, checked_type
from slowwave.domain.episode import Episode, EpisodeFields, Item
from slowwave.domain.message import messages
from slowwave.domain.receipt import Receipt, StoreOutcome, item_of, items_of, read_items, receipts
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope, use_namespace
from slowwave.errors import Incorrect, Unavailable
from slowwave.formatting import brief
from slowwave.outbox import Outbox
from slowwave.runtime import clock
from slowwave.runtime.closing import Closing
from slowwave.runtime.id_key import IdKey
from slowwave.telemetry.collector import collect_spans, pushing
from slowwave.threads import Background, Pause

_LOG = logging.getLogger(__name__)

BATCH = 500
"""The maximum number of episodes per message, which is also the number that a worker stores in one transaction."""
LONGEST_SECONDS = 20.0
"""The maximum number of seconds that a push waits for the broker, whose own timeouts are shorter."""
SHARE = 10
"""The pause after a failed round, divided by the round's duration. The pause is at most `queue.BREAK_SECONDS`."""
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.05, 2.0
"""The seconds between checks for the broker and for confirmations; the pause grows while nothing happens."""

SCHEMES = ("redis", "rediss", "redis+socket")


def _address(url: Any) -> str:
    try:
        if isinstance(url, str) and urlsplit(url).scheme in SCHEMES and urlsplit(url).port != 0:
            return url
    except ValueError:
        pass
    raise ValueError("is not an address of Redis: it begins with redis:// or redis+socket://")


Address = Annotated[str, BeforeValidator(_address)]


@dataclass(frozen=True, slots=True)
class _Wait:
    """A push that waits for the next round of sending. *left* are the unsent episodes, and *errors* are the reasons."""

    ids: frozenset[uuid.UUID]
    left: set[uuid.UUID]
    done: threading.Event = field(default_factory=threading.Event)
    errors: list[Unavailable] = field(default_factory=list)


class QueueClient(Closing):
    """Pushes episodes as Celery messages, several per message. Safe to share between threads; `close` it.

    A receipt says `queued` once the broker has accepted the message; a broker or a worker may still lose it. An
    *outbox*, a file on this host, keeps each episode and resends it until a worker confirms that it is stored. While
    the broker is down, receipts say `spooled`; without an outbox, `push` raises `Unavailable`. A push waits
    *linger_seconds* for other pushes to share its message.

    Messages may arrive out of order: give `occurred_at` if the order matters. With the extra `telemetry`, each push
    starts a span for the collector that *traces_url* or OpenTelemetry's variables name; the run that consolidates the
    episodes continues this trace. The client masks secrets. If *secrets* is `keep`, the worker's setting decides.

    *id_key* must equal the workers' SLOWWAVE_ID_KEY. Otherwise receipts have wrong ids, and an outbox recognises no
    confirmation. A process can use only one key.
    """

    @checked
    def __init__(
        self,
        broker_url: Address,
        tenant: Name = "default",
        linger_seconds: Timeout = 0.005,
        outbox: Path | str | None = None,
        *,
        resend_seconds: Seconds = 30.0,
        traces_url: Name | None = None,
        secrets: Secrets = "mask",
        id_key: Name | None = None,
    ) -> None:
        if id_key is not None:
            use_namespace(IdKey(id_key).namespace)
        collect_spans(traces_url)
        self.tenant = tenant
        self.outbox = Outbox(outbox)
        self._mask = masking(secrets).episode
        self._durable = outbox is not None
        self._receipts = queue.receipts_of(broker_url, self.outbox.client)
        self._line = queue.MessageSender(broker_url)
        self._linger_seconds = linger_seconds
        self._resend_seconds = resend_seconds
        self._thread = Background(self._deliver, name="client")
        self._waits: list[_Wait] = []
        self._closed = threading.Event()
        self._silent_until = 0.0
        if self.outbox.holds():
            self._ask(frozenset())

    @checked
    def scope(
        self, user: Name, *, agent: Name = "default", channel: Name = GLOBAL_CHANNEL, tenant: Name | None = None
    ) -> "QueueScope":
        """Return an object that pushes to the memory of *agent* about *user* in *channel*."""
        return QueueScope(self, Scope(self.tenant if tenant is None else tenant, user, agent, channel))

    @checked
    def push_many(self, scope: Instance[Scope], items: Annotated[Iterable[Item], SkipValidation]) -> list[Receipt]:
        """Send episodes in order; return a receipt per item. The receipt of an invalid item is `refused` with an error.

        Raises `Unavailable` when the broker is down and there is no outbox; a repeat with the same keys is safe.
        """
        return receipts(read_items(items_of(items)), pushing(scope, partial(self._push, scope)), self._mask)

    @checked
    def flush(self, timeout: Timeout = 30.0, *, confirmed: bool = False) -> None:
        """Wait until the broker has all episodes. With *confirmed*, wait until workers have confirmed all episodes.

        Raises `Unavailable` after *timeout* seconds, and `Incorrect` if *confirmed* is used without an outbox.
        """
        if confirmed and not self._durable:
            raise Incorrect("confirmations need an outbox", hint="give a file as outbox")
        end = clock.monotonic() + timeout
        while True:
            wait = self._ask(frozenset())
            wait.done.wait(max(0, end - clock.monotonic()))
            if not (self.outbox.holds() if confirmed else self.outbox.unsent(1)):
                return
            if clock.monotonic() >= end:
                raise next(iter(wait.errors), Unavailable(f"episodes are still pending after {timeout:g} s"))
            time.sleep(FIRST_PAUSE_SECONDS)

    def close(self) -> None:
        """Send pending pushes, and stop. The next process that opens the outbox sends the entries of the outbox."""
        self._closed.set()
        self._thread.close(LONGEST_SECONDS)
        self.outbox.close()

    def __repr__(self) -> str:
        return brief(self, f"tenant {self.tenant}")

    def _push(self, scope: Scope, episodes: Sequence[Episode]) -> list[Receipt]:
        if self._closed.is_set():
            raise Incorrect("the client is closed", hint="make another one")
        ids = frozenset(scope.episode_id(episode.key) for episode in episodes)
        with self._thread.change:  # under one lock, since a failed round drops messages that no push waits for
            outcomes = self.outbox.add(scope, episodes)
            wait = self._ask(ids)

        wait.done.wait(LONGEST_SECONDS)

        left = frozenset(wait.left)
        if left and not self._durable:
            raise next(iter(wait.errors), Unavailable("the broker did not take the message in time"))
        return [_receipt(scope, *pair, left) for pair in zip(episodes, outcomes, strict=True)]

    def _ask(self, ids: frozenset[uuid.UUID]) -> _Wait:
        wait = _Wait(ids, set(ids))
        with self._thread.change:
            self._waits.append(wait)
            self._thread.wanted()
        return wait

    def _deliver(self) -> None:
        pause = Pause(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)
        while True:
            with self._thread.change:
                if not self._waits and not self._closed.is_set():
                    self._thread.change.wait(pause.seconds if self.outbox.holds() else None)
                asked = bool(self._waits)
                if self._closed.is_set() and not asked:
                    self._line.close()
                    return
            if asked:
                self._closed.wait(self._linger_seconds)
            moved = self._round()
            if moved or asked:
                pause.reset()
            else:
                pause.double()

    def _round(self) -> bool:
        """Send unsent episodes, read confirmations, and notify waiting pushes; return whether anything changed."""
        with self._thread.change:
            waits, self._waits = self._waits, []
        begun = clock.monotonic()
        try:
            if begun < self._silent_until:
                raise Unavailable("the broker was just unavailable", retry_after_seconds=self._silent_until - begun)
            moved = self._send() | self._listen()
        except Unavailable as error:
            if begun >= self._silent_until:
                now = clock.monotonic()
                self._silent_until = now + min(SHARE * (now - begun), queue.BREAK_SECONDS)
            self._tell(waits, [error])
            return False
        except Exception as error:  # noqa: BLE001  # the edge of the thread: what nobody foresaw must not end delivery
            _LOG.error("a round of delivery failed with %s", type(error).__name__)
            self._tell(waits, [Unavailable(f"nothing could be sent ({type(error).__name__})", retry_after_seconds=1)])
            return False
        self._tell(waits, [])
        return moved

    def _tell(self, waits: Sequence[_Wait], errors: Sequence[Unavailable]) -> None:
        try:
            with self._thread.change:
                for wait in waits:
                    wait.errors.extend(errors)
                    wait.left.intersection_update(self.outbox.still_unsent(wait.ids))
                if not self._durable:
                    awaited = frozenset[uuid.UUID]().union(*(wait.ids for wait in self._waits))
                    self.outbox.settle([(id_, None) for wait in waits for id_ in wait.left - awaited])
        except Unavailable as error:
            for wait in waits:
                wait.errors.append(error)
        finally:
            for wait in waits:
                wait.done.set()

    def _send(self) -> bool:
        sent = False
        while entries := self.outbox.unsent(BATCH):
            for scope, letters in messages(entries):
                message = {
                    "tenant": scope.tenant, "user": scope.user, "agent": scope.agent, "channel": scope.channel,
                    "episodes": [entry.episode for entry in letters],
                    **({"client": self._receipts} if self._durable else {}),
                }  # fmt: skip
                self._line.send(queue.INGEST, message)
                numbers = [entry.number for entry in letters]
                if self._durable:
                    self.outbox.mark_sent(numbers, clock.now().timestamp())
                else:
                    self.outbox.remove(numbers)
                sent = True
        return sent

    def _listen(self) -> bool:
        if not self._durable or not self.outbox.waits_sent():
            return False
        heard = False
        while confirmed := self._line.confirmed(self._receipts):
            self.outbox.settle(confirmed)
            heard = True
        self.outbox.send_again(clock.now().timestamp(), self._resend_seconds)
        return heard


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class QueueScope:
    """The push methods for one agent's memory of one user in one channel."""

    client: Instance[QueueClient]
    scope: Instance[Scope]

    @checked
    def push(self, item: Annotated[Item, SkipValidation], **fields: Unpack[EpisodeFields]) -> Receipt:
        """Send one episode: an `Episode`, a mapping with its fields, or its content with other *fields* as arguments.

        Raises `Incorrect` with every problem of the episode, `Conflict` if a pending episode has the same key and other
        content, and `Unavailable` when the broker is down and there is no outbox.
        """
        (receipt,) = self.push_many([item_of(item, fields)])
        if receipt.error is not None:
            raise receipt.error
        return receipt

    @checked
    def push_many(self, items: Annotated[Iterable[Item], SkipValidation]) -> list[Receipt]:
        """Send episodes; return a receipt per item. The receipt of an invalid item is `refused` with an error."""
        return self.client.push_many(self.scope, items)

    def __repr__(self) -> str:
        return brief(self, self.scope.user, f"agent {self.scope.agent}", f"channel {self.scope.channel}")


def _receipt(scope: Scope, episode: Episode, outcome: StoreOutcome, left: frozenset[uuid.UUID]) -> Receipt:
    id_ = scope.episode_id(episode.key)
    if outcome == "conflict":
        return Receipt.conflict(id_, episode.key, where=" that waits to be stored")
    return Receipt(id_, episode.key, "spooled" if id_ in left else "queued", repeated=outcome == "known")
