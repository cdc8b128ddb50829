"""Callbacks for new deltas, each on its own thread."""

import logging
import threading
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self

from slowwave.domain.delta import AppliedDelta
from slowwave.errors import SlowwaveError
from slowwave.formatting.summary_lines import brief
from slowwave.subscriptions import deltas
from slowwave.subscriptions.deltas import Deltas
from slowwave.threads import LONGEST_PAUSE_SECONDS, Pause

_LOG = logging.getLogger(__name__)
JOIN_SECONDS = 5.0
DeltaCallback = Callable[[AppliedDelta], object]


class Subscription:
    """A callback that gets every delta on its own thread, until `close`.

    If the callback raises, the error is logged, and it gets the same delta again after a pause, which doubles up to 30
    s. *after* is the id of the last delta that the callback has processed: continue from there.
    """

    def __init__(self, following: Deltas, hear: DeltaCallback) -> None:
        self._following, self._hear = following, hear
        self._closed = threading.Event()
        self.after = following.after
        self._thread = threading.Thread(target=self._run, name="slowwave-listening", daemon=True)
        self._thread.start()

    @property
    def trouble(self) -> SlowwaveError | None:
        """The error that interrupts the deltas now; None if there is none."""
        return self._following.trouble

    def close(self) -> None:
        """End the subscription; wait up to 5 s for the callback to finish its delta."""
        self._closed.set()
        self._following.close()
        if self._thread is not threading.current_thread():
            self._thread.join(JOIN_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return brief(self, f"after {self.after}", "closed" if self._closed.is_set() else "")

    def _run(self) -> None:
        try:
            self._hear_all()
        except SlowwaveError as error:
            log_end_of_subscription(error)

    def _hear_all(self) -> None:
        for delta in self._following:
            pause = Pause(deltas.POLL_SECONDS, LONGEST_PAUSE_SECONDS)
            while not self._closed.is_set() and not self._taken(delta):
                self._closed.wait(pause.seconds)
                pause.double()

    def _taken(self, delta: AppliedDelta) -> bool:
        try:
            self._hear(delta)
        except Exception as error:  # noqa: BLE001  # the edge to a callback that somebody else wrote
            _LOG.error("who listens failed with %s at the delta %s: it is told again", type(error).__name__, delta.id)
            return False
        self.after = delta.id
        return True


class _Closable(Protocol):
    """A subscription that can be closed."""

    def close(self) -> None:
        """End the subscription."""


class OpenSubscriptions:
    """All subscriptions of a memory in this process; they end with the memory."""

    def __init__(self) -> None:
        self._there: weakref.WeakSet[_Closable] = weakref.WeakSet()

    def add(self, follower: _Closable) -> None:
        """Register *follower*, so that `close` closes it."""
        self._there.add(follower)

    def close(self) -> None:
        """Close all subscriptions."""
        for follower in list(self._there):
            follower.close()


def log_end_of_subscription(error: SlowwaveError) -> None:
    """Log that a subscription ended because its source refuses access."""
    _LOG.error("a subscription to deltas has ended: %s", error.message)
