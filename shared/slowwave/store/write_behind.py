"""Write-behind: rows that may be written a little later, in batches, by a thread of its own."""

import logging
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from slowwave.errors import Conflict, SlowwaveError, Unavailable
from slowwave.threads import Background, Lock

T = TypeVar("T")
_LOG = logging.getLogger(__name__)

LATER_SECONDS = 1.0
"""How long the first of a batch waits for others."""
MOST = 500
"""A batch of so many does not wait."""
DEEPEST = 50_000
"""More than this is not kept while the database is away."""
BREAK_SECONDS = 5.0
CLOSE_SECONDS = 5.0


class Behind(Generic[T]):
    """Takes items at once and has *write* write them soon after, each once, in the order they came.

    *write* takes out of the batch whatever it has written, if it raises before it has written all. What is left in it
    is kept for the next try, at most `DEEPEST` items. What still waits when a process is killed is lost: this is for
    what is counted, never for what is believed.
    """

    def __init__(self, write: Callable[[list[T]], object], *, name: str) -> None:
        self._write = write
        self._name = name
        self._waiting: list[T] = []
        self._thread = Background(self._follow, name=name)
        self._writing = Lock()
        self._closed = False
        self.lost = 0

    def add(self, items: Iterable[T]) -> None:
        """Take *items*; returns at once."""
        with self._thread.change:
            self._waiting.extend(items)
            self._drop()
            if self._waiting and not self._closed:
                self._thread.wanted()

    def flush(self) -> None:
        """Write what was taken before this call. Raises by category, and keeps what could not be written."""
        with self._writing:
            with self._thread.change:
                batch, self._waiting = self._waiting, []
            if not batch:
                return
            try:
                self._write(batch)
            except SlowwaveError:
                with self._thread.change:
                    self._waiting[:0] = batch
                    self._drop()
                raise

    def close(self) -> None:
        """Write what is left, as far as that is possible, and stop."""
        with self._thread.change:
            self._closed = True
            self._thread.change.notify_all()
        self._thread.join(CLOSE_SECONDS)
        if not self._try():
            self._try()  # the failing tenant was moved to the end: one more try for the others

    def _follow(self) -> None:
        while True:
            with self._thread.change:
                self._thread.change.wait_for(lambda: self._waiting or self._closed)
                self._thread.change.wait_for(lambda: len(self._waiting) >= MOST or self._closed, timeout=LATER_SECONDS)
                if self._closed:
                    return
            if not self._try():
                with self._thread.change:
                    self._thread.change.wait_for(lambda: self._closed, timeout=BREAK_SECONDS)

    def _try(self) -> bool:
        try:
            self.flush()
        except SlowwaveError as error:
            _LOG.warning("%s: %d items wait, for they cannot be written: %s", self._name, len(self._waiting), error)
            return False
        return True

    def _drop(self) -> None:
        surplus = len(self._waiting) - DEEPEST
        if surplus > 0:
            del self._waiting[:surplus]
            self.lost += surplus


def tenant_by_tenant(batch: list[T], tenant_of: Callable[[T], str], write: Callable[[str, list[T]], object]) -> None:
    """Write *batch* a tenant at a time, and take out what is written.

    Where that fails the tenant goes to the end of the line, so that it keeps no other from being written next time;
    what can never be written is given up. Raises by category.
    """
    for tenant in dict.fromkeys(map(tenant_of, batch)):
        own = [one for one in batch if tenant_of(one) == tenant]
        batch[:] = [one for one in batch if tenant_of(one) != tenant]
        try:
            write(tenant, own)
        except (Unavailable, Conflict):
            batch += own
            raise
