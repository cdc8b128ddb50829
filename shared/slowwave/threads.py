"""Background threads that also work after a fork, pauses that double, and threads that many tasks share."""

import gc
import os
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any, Self, TypeVar

T = TypeVar("T")
LONGEST_PAUSE_SECONDS = 30.0
SWITCH_SECONDS = 0.001
YOUNG_OBJECTS = 20_000
"""The number of new objects after which Python looks for garbage. Imports make many objects and no garbage; with the
usual 700, looking takes a seventh of the time of a start."""


class Pause:
    """The pause before the next attempt, in seconds.

    It is *first_seconds*, doubled after each `double`, at most *longest*.

    >>> pause = Pause(0.5, 30.0)
    >>> for _ in range(3):
    ...     pause.double()
    >>> pause.seconds
    4.0
    """

    def __init__(self, first_seconds: float, longest_seconds: float) -> None:
        self.seconds = self._first_seconds = first_seconds
        self._longest_seconds = longest_seconds

    def double(self) -> None:
        """Double the pause, after a failed attempt."""
        self.seconds = min(2 * self.seconds, self._longest_seconds)

    def reset(self) -> None:
        """Reset the pause, after a successful attempt."""
        self.seconds = self._first_seconds


class Background:
    """A daemon thread that runs *work* from a call of `wanted` until *work* returns, also after a fork.

    *change* is a condition that guards the state shared with *work*, and wakes *work*. The caller of `wanted` and
    `leave` must hold *change*. In a forked child, *change* is free even if the parent held *change*. The next call of
    `wanted` starts a thread in the child.
    """

    def __init__(self, work: Callable[[], object], *, name: str) -> None:
        self._work = work
        self._name = f"slowwave-{name}"
        self.closed = False
        self.renew()
        _RENEWED.add(self)

    def renew(self) -> None:
        """Forget the thread, and free *change*, after a fork."""
        self.change = threading.Condition()
        self._thread: threading.Thread | None = None

    def wanted(self) -> None:
        """Start the thread if it does not run; otherwise wake the thread."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()
        self.change.notify_all()

    def leave(self) -> None:
        """Make the next call of `wanted` start another thread. *work* calls this method when it is about to return."""
        self._thread = None

    def close(self, timeout_seconds: float) -> None:
        """Set *closed*, wake *work*, and wait until it has returned, or for *timeout_seconds*. Call it without holding
        *change*.
        """
        with self.change:
            self.closed = True
            self.change.notify_all()
        thread = self._thread
        if thread is not None:
            thread.join(timeout_seconds)


class Lock:
    """A mutex that is free in a forked child, even if the parent held the mutex."""

    def __init__(self) -> None:
        self.renew()
        _RENEWED.add(self)

    def renew(self) -> None:
        """Free the lock."""
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._lock.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()


class _Turns(threading.local):
    """The function that runs blocking work of a shared thread on another thread; None if the thread is not shared."""

    way_out: Callable[[Callable[[], Any]], Any] | None = None


_TURNS = _Turns()


def take_turns_here(way_out: Callable[[Callable[[], Any]], Any]) -> None:
    """Mark this thread as shared by many tasks. *way_out* is a function that runs blocking work on another thread."""
    _TURNS.way_out = way_out


def turns_are_taken() -> bool:
    """Return whether many tasks share this thread. Blocking work on such a thread would block all these tasks."""
    return _TURNS.way_out is not None


def run_in_thread(work: Callable[[], T]) -> T:
    """Return the result of *work*, which may block. On a shared thread, other tasks continue meanwhile."""
    if _TURNS.way_out is None:
        return work()
    found: T = _TURNS.way_out(work)
    return found


def start_quickly() -> None:
    """Let this process look for garbage less often."""
    gc.set_threshold(YOUNG_OBJECTS)


def keep_pauses_short() -> None:
    """Shorten the pauses of this process's threads. A service calls this function after it has warmed up.

    Afterwards, the garbage collector, which stops every thread, ignores all existing objects. Threads that compute
    take turns of one millisecond.
    """
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(SWITCH_SECONDS)


class Repeat:
    """Calls *action* every *pause()* seconds during the block, until *action* returns False.

    The exit from the block waits for the last call. Without *say*, an error ends the thread. With *say*, the thread
    survives every error, and *say* gets a sentence about the error. The pause after an error doubles from *pause()* to
    `LONGEST_PAUSE_SECONDS`.
    """

    def __init__(
        self,
        action: Callable[[], object],
        *,
        pause: Callable[[], float],
        name: str,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self._action = action
        self._pause = pause
        self._name = name
        self._say = say
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"slowwave-{name}", daemon=True)

    @property
    def alive(self) -> bool:
        """True while the thread runs."""
        return self._thread.is_alive()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _run(self) -> None:
        trouble: Pause | None = None
        while not self._done.wait(trouble.seconds if trouble else self._pause()):
            try:
                if self._action() is False:
                    return
                trouble = None
            except Exception as error:
                if self._say is None:
                    raise
                trouble = trouble or Pause(self._pause(), LONGEST_PAUSE_SECONDS)
                trouble.double()
                line = " ".join(str(error).split()) or type(error).__name__
                log_safely(self._say, f"{self._name}: {line}; tried again in {trouble.seconds:g} s")


def log_safely(say: Callable[[str], None], sentence: str) -> None:
    """Call *say* with *sentence*. Errors, such as a closed terminal, are ignored, and the work continues."""
    try:
        say(sentence)
    except (OSError, ValueError, MemoryError):
        return


_RENEWED: "weakref.WeakSet[Background | Lock]" = weakref.WeakSet()


def _renew_all() -> None:
    for each in _RENEWED:
        each.renew()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_renew_all)
