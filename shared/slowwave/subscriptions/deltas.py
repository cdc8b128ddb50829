"""New deltas, read one after another from any source."""

import threading
import uuid
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator
from types import TracebackType
from typing import Self

from slowwave.domain.delta import AppliedDelta
from slowwave.errors import SlowwaveError, Unavailable

POLL_SECONDS = 0.5
"""The polling interval: a delta arrives about so many seconds late at most."""
PAGE = 100
SINCE = "Slowwave-Since"
"""The response header with the start time of a stream that begins now."""


class Deltas(ABC):
    """The new deltas of a tenant or a scope, each once, in a fixed order: iterate, or `read`.

    *after* is the id of the last returned delta, after which another iteration can continue. While the source is
    unreachable, the iteration waits, and *trouble* is the error. Only one thread may read; any thread may `close` it.
    """

    trouble: SlowwaveError | None

    def __init__(self, after: uuid.UUID | None) -> None:
        self.after = after
        self.trouble = None
        self._ready: deque[AppliedDelta] = deque()
        self._closed = threading.Event()
        self._stirred = threading.Event()

    @property
    def closed(self) -> bool:
        """True once the iteration has ended."""
        return self._closed.is_set()

    def read(self, limit: int = PAGE) -> list[AppliedDelta]:
        """Return at most *limit* deltas after the last returned one, without waiting; may be empty.

        Raises `Unavailable` while the source is unreachable: call it again, and miss no delta.
        """
        if not self._ready:
            self.look()
        found = [self._ready.popleft() for _ in range(min(limit, len(self._ready)))]
        if found:
            self.after = found[-1].id
        return found

    @property
    def ready(self) -> int:
        """The number of fetched deltas, which `read` returns without a request."""
        return len(self._ready)

    @abstractmethod
    def look(self) -> None:
        """Fetch newer deltas; `read` calls this if no fetched delta is left. Raises `Unavailable`."""

    def pause_before_next(self) -> float:
        """Return the seconds to wait before the next `read`, if the last one was empty or failed."""
        return POLL_SECONDS

    def close(self) -> None:
        """End the iteration. To continue later, use *after*."""
        self._closed.set()
        self._stirred.set()
        self._ready.clear()

    def __iter__(self) -> Iterator[AppliedDelta]:
        return self

    def __next__(self) -> AppliedDelta:
        while not self.closed:
            self._stirred.clear()
            try:
                found = self.read(1)
            except Unavailable:  # *trouble* has the error, which was logged
                found = []
            if found:
                return found[0]
            if not self.closed:
                self._stirred.wait(self.pause_before_next())
        raise StopIteration

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
