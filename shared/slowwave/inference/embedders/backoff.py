"""The back-off from a failing embedder: it is not called for a pause, which doubles with each failure."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from slowwave.core.backoff import pause_after
from slowwave.errors import Unavailable
from slowwave.runtime import clock


class FailureBackoff:
    """The record of recent failures of a service. Safe to share between threads."""

    def __init__(self) -> None:
        self._failures, self._until = 0, 0.0
        self._why = ""
        self._hint: str | None = None
        self._looking = threading.Lock()

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Run the block, which calls the service; raise `Unavailable` at once during the pause after a failure.

        The pause after failures in a row is that of `pause_after`, or longer if the service asks for more.
        """
        with self._looking:
            left = self._until - clock.monotonic()
            if left > 0:
                raise Unavailable(self._why, retry_after_seconds=left, hint=self._hint)
        try:
            yield
        except Unavailable as error:
            with self._looking:
                wait = max(error.retry_after_seconds, pause_after(self._failures))
                self._failures, self._until = self._failures + 1, clock.monotonic() + wait
                self._why, self._hint = error.message, error.hint
            raise Unavailable(error.message, retry_after_seconds=wait, hint=error.hint) from error
        with self._looking:
            self._failures, self._until = 0, 0.0
