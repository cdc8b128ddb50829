"""Shutdown of a long command on a signal. The command finishes its run, or releases the work after a timeout."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

from slowwave.errors import Unavailable

GRACE_SECONDS = 8.0
"""Seconds that a run gets to finish. Supervisors and container engines kill after ten seconds or more."""


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
