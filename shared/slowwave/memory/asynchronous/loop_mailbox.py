"""Calls for an event loop's thread, in batches, since each wake-up of the loop may cost a switch of threads."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable


class LoopMailbox:
    """Calls that run on the thread of *loop*, in order. Safe to add from any thread.

    To wake a loop, a thread writes to the loop's socket and releases the interpreter lock. If another thread is
    computing, the writing thread gets the lock back 5 ms later. A hundred calls that start together would stall the
    loop of the writing thread for half a second.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: deque[Callable[[], object]] = deque()
        self._rung = False

    def put(self, call: Callable[[], object]) -> None:
        """Schedule *call* to run soon; does nothing on a closed loop."""
        self._waiting.append(call)
        if not self._rung:
            self._rung = True
            with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile, so nobody waits
                self._loop.call_soon_threadsafe(self._take)

    def _take(self) -> None:
        self._rung = False  # cleared before the first call is taken, so that later calls wake the loop
        while self._waiting:
            self._waiting.popleft()()
