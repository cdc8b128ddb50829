"""The end of a long command on a signal: it finishes, and when that takes too long, gives back what it has claimed."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

from slowwave.errors import Unavailable

GRACE_SECONDS = 8.0
"""How long a run may take to finish. Supervisors and container engines kill after ten seconds or more."""


def endings() -> list[signal.Signals]:
    """Return the signals that end a long command in good order: those of a keyboard, a supervisor, a closed terminal.

    SIGHUP is none of them where the command was started to outlive its terminal (`nohup`).
    """
    outlives = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return [signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, *([] if outlives else [signal.SIGHUP])]


@contextlib.contextmanager
def ending(stop: threading.Event, *, grace_seconds: float = GRACE_SECONDS) -> Iterator[None]:
    """Set *stop* on a signal that asks for an end (`endings`) while the block runs.

    What still runs *grace_seconds* later, or at a second signal, is interrupted with `Unavailable`: the run protocol
    answers by keeping the window, counting no strike and giving the lease back. Only in the main thread.
    """

    def ask(_number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            interrupt()
        stop.set()
        signal.signal(signal.SIGALRM, interrupt)  # a run that thinks has an alarm of its own there
        signal.setitimer(signal.ITIMER_REAL, grace_seconds)

    def interrupt(*_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise Unavailable("the worker was told to end", retry_after_seconds=0)

    before = {number: signal.signal(number, ask) for number in endings()}
    before[signal.SIGALRM] = signal.signal(signal.SIGALRM, interrupt)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
