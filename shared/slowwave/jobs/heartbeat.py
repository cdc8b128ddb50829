"""The heartbeat that renews a run's lease, and the time limits of a run."""

import faulthandler
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Self

from slowwave.errors import Conflict, Unavailable
from slowwave.runtime import clock
from slowwave.threads import Repeat

_SOON = 0.001  # a timer of zero seconds would be disabled


class Heartbeat:
    """Calls *renew* every *every_seconds* while the block runs, for at most *until_seconds*.

    *renew* returns whether this run still holds the lease. The heartbeat stops when the lease is lost or the time is
    over. After that, the check of the fence at commit decides whether the run may write.
    """

    def __init__(self, renew: Callable[[], bool], *, every_seconds: float, until_seconds: float) -> None:
        self._renew = renew
        self._until_seconds = until_seconds
        self._end = 0.0
        self._repeat = Repeat(self._beat, pause=lambda: every_seconds, name="heartbeat")

    def __enter__(self) -> Self:
        self._end = clock.monotonic() + self._until_seconds
        self._repeat.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._repeat.__exit__()

    def _beat(self) -> bool:
        try:
            return clock.monotonic() < self._end and self._renew()
        except (Unavailable, Conflict):
            return True  # a missed beat does no harm if a later beat succeeds


class Overtime(BaseException):
    """The error of a run that exceeded its soft limit. The message names the interrupted line of code, if known.

    `except Exception` does not catch this error.

    If a connection is in use when the error is raised, the connection is discarded, as after Ctrl-C.
    """


class SoftLimit:
    """A time limit of *seconds* from now, shared by all blocks of this object.

    After the limit, a block raises `Overtime`.

    In the main thread, the error interrupts the block at once. In other threads, or if another alarm is set, the error
    is raised at the end of the block, so that the run's result is not written.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = clock.monotonic() + seconds

    @contextmanager
    def block(self) -> Iterator[None]:
        """Run a block under the limit."""
        self._check()
        if _alarm_is_free():
            with _alarm(self._end - clock.monotonic(), self._ring):
                yield
        else:
            yield
        self._check()

    def _ring(self, _number: int, frame: FrameType | None) -> None:
        where = f" at {Path(frame.f_code.co_filename).name}:{frame.f_lineno}" if frame else ""
        raise Overtime(f"took longer than {self.seconds:g} s{where}")

    def _check(self) -> None:
        if clock.monotonic() >= self._end:
            raise Overtime(f"took longer than {self.seconds:g} s")


@contextmanager
def hard_limit(seconds: float) -> Iterator[None]:
    """End this process, with the stack of every thread on standard error, if the block takes longer than *seconds*.

    The limit does not need the Python interpreter, so it also ends a call in C code that never returns. No other
    process is notified; the lease expires. Use this limit only in Slowwave's own processes, for one block at a time.
    """
    faulthandler.dump_traceback_later(seconds, exit=True, file=2)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def _alarm_is_free() -> bool:
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        return False
    return signal.getitimer(signal.ITIMER_REAL)[0] == 0 and signal.getsignal(signal.SIGALRM) is not None


@contextmanager
def _alarm(seconds: float, ring: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, _SOON))
    try:
        yield
    finally:
        if (
            signal.getsignal(signal.SIGALRM) == ring
        ):  # otherwise a handler that was installed meanwhile still needs the alarm
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
