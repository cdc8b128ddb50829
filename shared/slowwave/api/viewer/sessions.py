"""The sessions of visitors who logged in. They are in the memory of one process, which may share them with others."""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.managers import BaseManager
from typing import Protocol, cast

from slowwave.runtime import clock

SESSION_SECONDS = 12 * 3600.0
MOST_SESSIONS = 1_000
"""The maximum number of visitors who are logged in at once.

Beyond this number, the visitor who logged in first has to log in again.
"""


class Sessions(Protocol):
    """The keys of visitors, by the hashes of their cookies."""

    def key(self, name: str) -> str:
        """Return the key of a session, or an empty text if it has ended."""

    def begin(self, name: str, key: str) -> None:
        """Begin a session."""

    def end(self, name: str) -> None:
        """End a session."""


class OwnSessions:
    """Sessions in this process's memory."""

    def __init__(self) -> None:
        self._keys: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._lock = threading.Lock()

    def key(self, name: str) -> str:
        with self._lock:
            key, until = self._keys.get(name, ("", 0.0))
        return key if until >= clock.monotonic() else ""

    def begin(self, name: str, key: str) -> None:
        with self._lock:
            self._keys[name] = (key, clock.monotonic() + SESSION_SECONDS)
            while len(self._keys) > MOST_SESSIONS:
                self._keys.popitem(last=False)

    def end(self, name: str) -> None:
        with self._lock:
            self._keys.pop(name, None)


class _Manager(BaseManager):
    """Serves the sessions of one process to others, which must know its key."""


@contextmanager
def shared_sessions() -> Iterator[str]:
    """Give the address of new sessions for `sessions_at`; it contains a key, and must stay secret."""
    own, authkey = OwnSessions(), secrets.token_hex(32)
    manager = type("Serving", (_Manager,), {})(authkey=authkey.encode())
    manager.register("sessions", callable=lambda: own, exposed=("key", "begin", "end"))
    server = manager.get_server()
    threading.Thread(target=server.serve_forever, name="sessions", daemon=True).start()
    try:
        yield f"{server.address} {authkey}"
    finally:
        server.stop_event.set()


def sessions_at(address: str) -> Sessions:
    """Return the sessions at an address of `shared_sessions`."""
    place, _, authkey = address.rpartition(" ")
    _Manager.register("sessions", exposed=("key", "begin", "end"))
    manager = _Manager(place, authkey.encode())
    manager.connect()
    return cast(Sessions, manager.sessions())  # type: ignore[attr-defined]  # `register` makes the method
