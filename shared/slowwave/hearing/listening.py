"""Callbacks that hear what is learned, on threads of their own, until somebody closes them."""

import logging
import threading
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self

from slowwave.brief import brief
from slowwave.domain.delta import AppliedDelta
from slowwave.errors import SlowwaveError
from slowwave.hearing import deltas
from slowwave.hearing.deltas import Deltas
from slowwave.threads import LONGEST_PAUSE_SECONDS, Pause

_LOG = logging.getLogger(__name__)
JOIN_SECONDS = 5.0
Hear = Callable[[AppliedDelta], object]


class Listening:
    """A callback that hears every delta, on a thread of its own, until it is closed.

    One that raises is logged, and hears the same delta again after a pause that doubles up to 30 s: none is passed
    over. *after* is the id of the last delta it has taken, from which to go on listening.
    """

    def __init__(self, following: Deltas, hear: Hear) -> None:
        self._following, self._hear = following, hear
        self._closed = threading.Event()
        self.after = following.after
        self._thread = threading.Thread(target=self._run, name="slowwave-listening", daemon=True)
        self._thread.start()

    @property
    def trouble(self) -> SlowwaveError | None:
        """The error that says why nothing is heard now; None where all is well."""
        return self._following.trouble

    def close(self) -> None:
        """Stop; a delta that the callback has in hand is finished first, for up to 5 s."""
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
            said_to_be_over(error)

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


class _Ends(Protocol):
    """A follower of what is learned, until it is closed."""

    def close(self) -> None:
        """End it."""


class Followers:
    """Everyone who hears in this process what is learned, as long as they are there: they end with the memory."""

    def __init__(self) -> None:
        self._there: weakref.WeakSet[_Ends] = weakref.WeakSet()

    def add(self, follower: _Ends) -> None:
        """Have *follower* closed with the others."""
        self._there.add(follower)

    def close(self) -> None:
        """Close them all."""
        for follower in list(self._there):
            follower.close()


def said_to_be_over(error: SlowwaveError) -> None:
    """Log that nobody who listens will hear more: what they followed is refused to them."""
    _LOG.error("nothing more is heard of what is learned: %s", error.message)
