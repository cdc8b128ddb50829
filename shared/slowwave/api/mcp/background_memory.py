"""The memory of an MCP server on standard input: opened in the background, reopened if its Postgres has stopped."""

import threading
from concurrent.futures import Future
from dataclasses import dataclass, field

from slowwave import wiring
from slowwave.errors import SlowwaveError
from slowwave.formatting import brief
from slowwave.memory import Memory
from slowwave.memory.verb_group import parts_of


@dataclass(slots=True)
class BackgroundMemory:
    """A memory that is opened in the background; `memory` waits for it, and retries after a failed attempt."""

    settings: wiring.Settings
    _coming: "Future[Memory] | None" = field(default=None, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def begin(self) -> None:
        """Start to open the memory on a separate thread, unless it is open or being opened."""
        self._begun()

    def memory(self) -> Memory:
        """Return the memory; if the process that ran the embedded Postgres has ended, start it in this process.

        Raises the error of a failed attempt to open it.
        """
        memory = self._begun().result()
        services = parts_of(memory).services
        if services is not None and services.postgres.pid is None:
            with self._lock:
                services.postgres.start()
        return memory

    def close(self) -> None:
        """Close the memory, and stop the embedded services started here."""
        coming = self._coming
        if coming is not None and coming.exception() is None:
            coming.result().close()

    def _begun(self) -> "Future[Memory]":
        with self._lock:
            if self._coming is None or (self._coming.done() and self._coming.exception() is not None):
                self._coming = Future()
                threading.Thread(target=self._open, args=(self._coming,), name="slowwave-opening", daemon=True).start()
            return self._coming

    def _open(self, coming: "Future[Memory]") -> None:
        try:
            coming.set_result(Memory(wiring.open_parts(self.settings)))
        except SlowwaveError as error:
            coming.set_exception(error)
        except BaseException as error:  # noqa: BLE001  # the thread's edge: whoever waits for it raises it
            coming.set_exception(error)

    def __repr__(self) -> str:
        return brief(self, "open" if self._coming is not None and self._coming.done() else "not open yet")
