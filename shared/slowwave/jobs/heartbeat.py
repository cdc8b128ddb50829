"""Keeps a lease alive while a run thinks, and stops when it has thought for too long."""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from slowwave import clock
from slowwave.errors import Conflict, Unavailable


class Heartbeat:
    """Calls *renew* every *every_seconds* while the block runs, for at most *until_seconds*.

    *renew* returns whether the lease is still ours; when it is not, or when time is up, the beating stops and the
    fence decides about what is written.
    """

    def __init__(self, renew: Callable[[], bool], *, every_seconds: float, until_seconds: float) -> None:
        self._renew = renew
        self._every_seconds = every_seconds
        self._until_seconds = until_seconds
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="slowwave-heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    def _beat(self) -> None:
        end = clock.monotonic() + self._until_seconds
        while not self._done.wait(self._every_seconds) and clock.monotonic() < end:
            try:
                if not self._renew():
                    return
            except (Unavailable, Conflict):
                continue  # a beat that is missed costs nothing as long as one of the next gets through
