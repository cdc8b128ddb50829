"""Letters to the thread of an event loop, calls: many at once wake it once, for a waking may cost a turn."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable


class Letters:
    """Calls for the thread of *loop*, done there in the order they were put. Safe to put from any thread.

    To wake a loop is to write to its socket, and whoever writes lets go of the interpreter: where another thread
    computes he has it back 5 ms later. A hundred calls that were begun together would stall his loop for half a second.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: deque[Callable[[], object]] = deque()
        self._rung = False

    def put(self, call: Callable[[], object]) -> None:
        """Have *call* done soon; a loop that was closed does nothing more."""
        self._waiting.append(call)
        if not self._rung:
            self._rung = True
            with contextlib.suppress(RuntimeError):  # it was closed meanwhile: nobody waits there
                self._loop.call_soon_threadsafe(self._take)

    def _take(self) -> None:
        self._rung = False  # before the first is taken: what comes now rings again
        while self._waiting:
            self._waiting.popleft()()
