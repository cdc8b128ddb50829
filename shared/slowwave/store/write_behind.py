"""Write-behind to the database: a thread writes rows in batches, shortly after the rows were added."""

import logging
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from slowwave.errors import Conflict, SlowwaveError, Unavailable
from slowwave.threads import Background, Lock

T = TypeVar("T")
_LOG = logging.getLogger(__name__)

LATER_SECONDS = 1.0
"""The longest time for which the first item of a batch waits for more items."""
MOST = 500
"""The size at which a batch is written at once."""
DEEPEST = 50_000
"""The maximum number of items kept while the database is unreachable."""
BREAK_SECONDS = 5.0
CLOSE_SECONDS = 5.0


class WriteBehind(Generic[T]):
    """A queue that accepts items at once. A thread soon passes the items to *write*, each item once and in order.

    *write* must remove the written items from the batch before it raises an error. At most `DEEPEST` unwritten items
    are kept for the next attempt. A killed process loses its waiting items, so use this for counters only, never for
    facts.
    """

    def __init__(self, write: Callable[[list[T]], object], *, name: str) -> None:
        self._write = write
        self._name = name
        self._waiting: list[T] = []
        self._thread = Background(self._follow, name=name)
        self._writing = Lock()
        self.lost = 0

    def add(self, items: Iterable[T]) -> None:
        """Add *items* to the queue. The method returns at once."""
        with self._thread.change:
            self._waiting.extend(items)
            self._drop()
            if self._waiting and not self._thread.closed:
                self._thread.wanted()

    def flush(self) -> None:
        """Write the items added before this call. If the method raises an error, unwritten items stay queued."""
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
        """Write the remaining items, as far as possible, and stop."""
        self._thread.close(CLOSE_SECONDS)
        if not self._try():
            self._try()  # the failing tenant was moved to the end: one more try for the others

    def _follow(self) -> None:
        while True:
            with self._thread.change:
                self._thread.change.wait_for(lambda: self._waiting or self._thread.closed)
                self._thread.change.wait_for(
                    lambda: len(self._waiting) >= MOST or self._thread.closed, timeout=LATER_SECONDS
                )
                if self._thread.closed:
                    return
            if not self._try():
                with self._thread.change:
                    self._thread.change.wait_for(lambda: self._thread.closed, timeout=BREAK_SECONDS)

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
    """Write *batch* tenant by tenant, and remove the written items from it.

    A tenant whose write fails moves to the end of the queue, and does not block other tenants. Items that can never be
    written are dropped. Raises the error of a failed write.
    """
    for tenant in dict.fromkeys(map(tenant_of, batch)):
        own = [one for one in batch if tenant_of(one) == tenant]
        batch[:] = [one for one in batch if tenant_of(one) != tenant]
        try:
            write(tenant, own)
        except (Unavailable, Conflict):
            batch += own
            raise
