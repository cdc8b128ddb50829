"""New deltas from any source. They are read one after another, or given to callbacks on separate threads."""

import logging
import threading
import uuid
import weakref
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from typing import TypeVar

from slowwave.domain.delta import AppliedDelta
from slowwave.errors import SlowwaveError, Unavailable
from slowwave.formatting import brief
from slowwave.runtime.closing import Closing
from slowwave.threads import LONGEST_PAUSE_SECONDS, Pause

POLL_SECONDS = 0.5
"""The polling interval in seconds. A delta arrives about this many seconds late at most."""
PAGE = 100
SINCE = "Slowwave-Since"
"""The response header with the start time of a stream that begins now."""
_LOG = logging.getLogger(__name__)
JOIN_SECONDS = 5.0
DeltaCallback = Callable[[AppliedDelta], object]


class Deltas(Closing, ABC):
    """The new deltas of a tenant or a scope, each once, in a fixed order. Iterate over the object, or call `read`.

    *after* is the id of the last returned delta; another iteration can start after this delta. While the source is
    unreachable, the iteration waits, and *trouble* holds the error. Only one thread may read. Any thread may call
    `close`.
    """

    trouble: SlowwaveError | None

    def __init__(self, after: uuid.UUID | None) -> None:
        self.after = after
        self.trouble = None
        self._ready: deque[AppliedDelta] = deque()
        self._closed = threading.Event()
        self._stirred = threading.Event()

    @property
    def closed(self) -> bool:
        """True after the iteration has ended."""
        return self._closed.is_set()

    def read(self, limit: int = PAGE) -> list[AppliedDelta]:
        """Return at most *limit* deltas after the last returned delta, without waiting. The list may be empty.

        Raises `Unavailable` while the source is unreachable. A later call misses no delta.
        """
        if not self._ready:
            self.look()
        found = [self._ready.popleft() for _ in range(min(limit, len(self._ready)))]
        if found:
            self.after = found[-1].id
        return found

    @property
    def ready(self) -> int:
        """The number of fetched deltas. `read` returns these deltas without a request."""
        return len(self._ready)

    @abstractmethod
    def look(self) -> None:
        """Fetch newer deltas. `read` calls this method if no fetched delta is left. Raises `Unavailable`."""

    def pause_before_next(self) -> float:
        """Return the number of seconds to wait before the next `read`, if the last `read` was empty or failed."""
        return POLL_SECONDS

    def close(self) -> None:
        """End the iteration. A new iteration can start after the delta with the id *after*."""
        self._closed.set()
        self._stirred.set()
        self._ready.clear()

    def __iter__(self) -> Iterator[AppliedDelta]:
        return self

    def __next__(self) -> AppliedDelta:
        while not self.closed:
            self._stirred.clear()
            try:
                found = self.read(1)
            except Unavailable:  # *trouble* has the error, which was logged
                found = []
            if found:
                return found[0]
            if not self.closed:
                self._stirred.wait(self.pause_before_next())
        raise StopIteration


class Subscription(Closing):
    """A callback that gets every delta on a separate thread, until `close` is called.

    If the callback raises an error, the error is logged, and the callback gets the same delta again after a pause. The
    pause doubles up to 30 s. *after* is the id of the last delta that the callback has processed; a new subscription
    can start after this delta.
    """

    def __init__(self, following: Deltas, hear: DeltaCallback) -> None:
        self._following, self._hear = following, hear
        self._closed = threading.Event()
        self.after = following.after
        self._thread = threading.Thread(target=self._run, name="slowwave-listening", daemon=True)
        self._thread.start()

    @property
    def trouble(self) -> SlowwaveError | None:
        """The error that currently interrupts the deltas; None if there is no error."""
        return self._following.trouble

    def close(self) -> None:
        """End the subscription. Wait at most 5 s for the callback to process its present delta."""
        self._closed.set()
        self._following.close()
        if self._thread is not threading.current_thread():
            self._thread.join(JOIN_SECONDS)

    def __repr__(self) -> str:
        return brief(self, f"after {self.after}", "closed" if self._closed.is_set() else "")

    def _run(self) -> None:
        try:
            self._hear_all()
        except SlowwaveError as error:
            log_end_of_subscription(error)

    def _hear_all(self) -> None:
        for delta in self._following:
            pause = Pause(POLL_SECONDS, LONGEST_PAUSE_SECONDS)
            while not self._closed.is_set() and not self._taken(delta):
                self._closed.wait(pause.seconds)
                pause.double()

    def _taken(self, delta: AppliedDelta) -> bool:
        try:
            self._hear(delta)
        except Exception as error:  # noqa: BLE001  # a callback of the user may raise any exception
            _LOG.error(
                "The callback failed with %s at delta %s; Slowwave calls it again.", type(error).__name__, delta.id
            )
            return False
        self.after = delta.id
        return True


F = TypeVar("F", bound=Closing)


class OpenSubscriptions:
    """All subscriptions of a memory in this process. They end when the memory is closed."""

    def __init__(self) -> None:
        self._there: weakref.WeakSet[Closing] = weakref.WeakSet()

    def add(self, follower: F) -> F:
        """Register *follower*, so that `close` closes it; return it."""
        self._there.add(follower)
        return follower

    def close(self) -> None:
        """Close all subscriptions."""
        for follower in list(self._there):
            follower.close()


def log_end_of_subscription(error: SlowwaveError) -> None:
    """Log that a subscription ended because its source refuses access."""
    _LOG.error("a subscription to deltas has ended: %s", error.message)
