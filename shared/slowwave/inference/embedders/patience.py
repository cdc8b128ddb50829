"""Patience with who is away: left alone for a while that doubles, and asked by nobody meanwhile."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from slowwave import clock
from slowwave.core.backoff import pause_after
from slowwave.errors import Unavailable


class Patience:
    """The memory of whether somebody answers. Safe to share between threads."""

    def __init__(self) -> None:
        self._failures, self._until = 0, 0.0
        self._why = ""
        self._hint: str | None = None
        self._looking = threading.Lock()

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Give way to a question, unless the last went wrong a short time ago: then raise `Unavailable` at once.

        After so many failures in a row the pause is that of `pause_after`, or as long as whoever is asked wants.
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
