"""Keeps a lease alive while a run thinks, and stops when it has thought for too long.

It beats in a thread, which a call that lets nothing else run holds up. No text of ours does for long: the longest call
on 256 KiB takes a fraction of a second, and a lease bears three missed beats. What starves it for longer loses the
lease and no more: the fence refuses what comes too late, and the hard limit ends who never comes back.
"""

from collections.abc import Callable
from types import TracebackType
from typing import Self

from slowwave import clock
from slowwave.errors import Conflict, Unavailable
from slowwave.threads import Repeat


class Heartbeat:
    """Calls *renew* every *every_seconds* while the block runs, for at most *until_seconds*.

    *renew* returns whether the lease is still ours; when it is not, or when time is up, the beating stops and the
    fence decides about what is written.
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._repeat.__exit__(kind, error, trace)

    def _beat(self) -> bool:
        try:
            return clock.monotonic() < self._end and self._renew()
        except (Unavailable, Conflict):
            return True  # a beat that is missed costs nothing as long as one of the next gets through
