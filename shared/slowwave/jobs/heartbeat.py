"""The heartbeat that renews a lease while a run works, and stops when the run has worked for too long.

It beats in a thread, so a call that blocks the interpreter delays it. No call does that for long: the longest call on a
text of 256 KiB takes a fraction of a second, and a lease survives three missed beats. A longer delay costs only the
lease: the fence refuses late writes, and the hard limit ends a process that never returns.
"""

from collections.abc import Callable
from types import TracebackType
from typing import Self

from slowwave.errors import Conflict, Unavailable
from slowwave.runtime import clock
from slowwave.threads import Repeat


class Heartbeat:
    """Calls *renew* every *every_seconds* while the block runs, for at most *until_seconds*.

    *renew* returns whether the lease is still ours. When the lease is lost or time is up, the heartbeat stops, and the
    fence decides whether the run may write.
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
            return True  # a missed beat does no harm if one of the next gets through
