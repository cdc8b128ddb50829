"""Shutdown of a long command on a signal. The command finishes its run, or releases the work after a timeout."""

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType

from slowwave.errors import Unavailable
from slowwave.runtime import clock

LOOK_SECONDS = 0.1
GRACE_SECONDS = 8.0
"""Seconds that a run gets to finish. Supervisors and container engines kill after ten seconds or more."""


class Flag:
    """A flag that a signal handler sets. `threading.Event` has a lock, on which a second signal would wait for ever."""

    def __init__(self) -> None:
        self._is_set = False

    def set(self, *_: object) -> None:
        """Set the flag; can be a signal handler."""
        self._is_set = True

    def is_set(self) -> bool:
        """Return whether the flag is set."""
        return self._is_set

    def wait(self, seconds: float) -> bool:
        """Wait at most *seconds* until the flag is set; return whether it is."""
        end = clock.monotonic() + seconds
        while not self._is_set and (left := end - clock.monotonic()) > 0:
            time.sleep(min(left, LOOK_SECONDS))
        return self._is_set


def endings() -> list[signal.Signals]:
    """Return the signals that shut down a long command: from a keyboard, a supervisor, or a closed terminal.

    SIGHUP is left out if the command was started to outlive its terminal (`nohup`).
    """
    outlives = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return [signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, *([] if outlives else [signal.SIGHUP])]


@contextlib.contextmanager
def ending(stop: threading.Event, *, grace_seconds: float = GRACE_SECONDS) -> Iterator[None]:
    """Set *stop* on a shutdown signal (see `endings`) while the block runs.

    After *grace_seconds*, or at a second signal, `Unavailable` interrupts the current run. The work of this run is then
    released and will be repeated; no failed attempt is counted. The function works only in the main thread.
    """

    def ask(_number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            interrupt()
        stop.set()
        signal.signal(signal.SIGALRM, interrupt)  # a run's own time limit uses SIGALRM, too
        signal.setitimer(signal.ITIMER_REAL, grace_seconds)

    def interrupt(*_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise Unavailable("the worker is shutting down", retry_after_seconds=0)

    before = {number: signal.signal(number, ask) for number in endings()}
    before[signal.SIGALRM] = signal.signal(signal.SIGALRM, interrupt)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
