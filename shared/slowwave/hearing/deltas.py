"""Deltas as they come, read one after another, from wherever they are fetched."""

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
"""How often it is looked for what came: who listens hears of it about so soon."""
PAGE = 100
SINCE = "Slowwave-Since"
"""The header that says from when on a stream begins which was asked for from now on."""


class Deltas(ABC):
    """The deltas of a tenant or a scope as they come, each once, in an order that none overtakes: iterate, or `read`.

    *after* is the id of the last one that was handed over, behind which another goes on. While what they are read from
    is away the iteration waits, and *trouble* is the error that says so. One thread reads; any may `close`, which ends
    it.
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
        """True once nothing more is handed over."""
        return self._closed.is_set()

    def read(self, limit: int = PAGE) -> list[AppliedDelta]:
        """Return at most *limit* deltas that have come since the last one; none where none has, without waiting.

        Raises `Unavailable` while what they are read from is away: ask again, nothing is lost.
        """
        if not self._ready:
            self.look()
        found = [self._ready.popleft() for _ in range(min(limit, len(self._ready)))]
        if found:
            self.after = found[-1].id
        return found

    @property
    def ready(self) -> int:
        """The number of deltas at hand, for which `read` asks nobody."""
        return len(self._ready)

    @abstractmethod
    def look(self) -> None:
        """Look for what has come behind what is at hand; `read` does so where nothing is. Raises `Unavailable`."""

    def pause_before_next(self) -> float:
        """Return how many seconds to wait before the next `read`, where the last one gave nothing or failed."""
        return POLL_SECONDS

    def close(self) -> None:
        """End the iteration; *after* says where to go on."""
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
            except Unavailable:  # it is in *trouble*, and was said
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
