"""Deltas from a server's event stream. After a broken connection, the stream continues after the last delta."""

import contextlib
import http.client
import json
import logging
import socket
import threading
from collections.abc import Mapping
from typing import Any

from slowwave.domain.delta import AppliedDelta, delta_id
from slowwave.errors import SlowwaveError, Unavailable
from slowwave.formatting import brief
from slowwave.remote.http import Connection, HttpConnection, Stream, server_unreachable
from slowwave.remote.responses import read
from slowwave.subscriptions import PAGE, DeltaCallback, Deltas, Subscription, deltas
from slowwave.subscriptions.deltas import SINCE
from slowwave.threads import LONGEST_PAUSE_SECONDS, Pause

_LOG = logging.getLogger(__name__)
SILENCE_SECONDS = 45.0
"""The number of seconds without data after which a stream counts as broken. It is three heartbeats of the server."""


class RemoteDeltas(Deltas):
    """The deltas of a tenant or a scope on a server, each once. Iterate over the object, or call `read`.

    A thread reads the deltas from one connection. If the connection breaks, a new connection continues after the last
    delta. Until then, *trouble* holds the error. If the server refuses access, as for a revoked key, the iteration
    raises the error and ends.
    """

    def __init__(self, wire: HttpConnection, wanted: Mapping[str, Any]) -> None:
        """Raise `NotFound` if *after* is not the id of a delta, and `Unavailable` if all retries fail."""
        super().__init__(delta_id(wanted.get("after")))
        self._wire, self._wanted = wire, dict(wanted)
        self._room = threading.Event()
        self._sock: socket.socket | None = None
        begun = wire.stream("/v1/deltas/stream", SILENCE_SECONDS, patient=True, **self._wanted)
        self._begin(begun)
        threading.Thread(target=self._run, args=begun, name="slowwave-stream", daemon=True).start()

    def look(self) -> None:
        """Raise the current error of the stream, if there is one."""
        if self.trouble is not None and not self.closed and not self._ready:
            raise self.trouble

    def read(self, limit: int = PAGE) -> list[AppliedDelta]:
        """Return up to *limit* new deltas, without waiting; the list may be empty.

        Raises `Unavailable` while the server is down. A later call misses no delta.
        """
        found = super().read(limit)
        self._room.set()
        return found

    def close(self) -> None:
        """End the iteration and close the connection.

        A new iteration can continue after the delta with the id *after*.
        """
        super().close()
        self._room.set()
        if self._sock is not None:
            with contextlib.suppress(OSError):  # the socket may be closed already
                self._sock.shutdown(socket.SHUT_RDWR)

    def __repr__(self) -> str:
        return brief(self, self._wanted.get("user") or "tenant", f"after {self.after}")

    def _begin(self, begun: Stream) -> None:
        _, self._sock, answer = begun
        if "after" not in self._wanted and (since := answer.headers.get(SINCE)):
            self._wanted["since"] = since
        if self.closed:
            self.close()

    def _run(self, connection: Connection, _: socket.socket, answer: http.client.HTTPResponse) -> None:
        pause = Pause(deltas.POLL_SECONDS, LONGEST_PAUSE_SECONDS)
        while not self.closed:
            wait = pause.seconds
            try:
                try:
                    self._take(answer, pause)
                finally:
                    answer.close()
                    connection.close()
            except (OSError, http.client.HTTPException, ValueError) as error:
                self._in_trouble(server_unreachable(self._wire.url, error, begun=True))
            except SlowwaveError as error:
                return self._over(error)
            while not self.closed:
                self._closed.wait(wait)
                if self.closed:
                    return None
                try:
                    begun = self._wire.stream("/v1/deltas/stream", SILENCE_SECONDS, patient=False, **self._wanted)
                except Unavailable as error:
                    self._in_trouble(error)
                    pause.double()
                    wait = max(pause.seconds, error.retry_after_seconds)
                except SlowwaveError as error:
                    return self._over(error)
                else:
                    break
            else:
                return None
            self._begin(begun)
            connection, _, answer = begun
            if self.trouble is not None:
                _LOG.info("deltas can be read again")
                self.trouble = None
        return None

    def _take(self, answer: http.client.HTTPResponse, pause: Pause) -> None:
        """Read deltas until the stream ends. Raises the errors of a broken connection."""
        while line := answer.readline():
            pause.reset()
            name, _, value = line.decode().rstrip("\r\n").partition(": ")
            if name == "data":
                self._heard(read(AppliedDelta, json.loads(value)))
            if self.closed:
                return

    def _heard(self, delta: AppliedDelta) -> None:
        while len(self._ready) >= PAGE and not self.closed:  # a slow reader slows the server down
            self._room.clear()
            if len(self._ready) >= PAGE:
                self._room.wait(deltas.POLL_SECONDS)
        if not self.closed:
            self._ready.append(delta)
            self._wanted["after"] = delta.id
            self._wanted.pop("since", None)
            self._stirred.set()

    def _in_trouble(self, error: Unavailable) -> None:
        if self.trouble is None and not self.closed:
            _LOG.warning("no deltas can be read: %s", error.message)
        self.trouble = error

    def _over(self, error: SlowwaveError) -> None:
        self.trouble = error
        self._stirred.set()


def delta_iterator(wire: HttpConnection, **wanted: Any) -> RemoteDeltas:
    """Return an iterator over the *wanted* deltas. Closing the iterator or the memory ends the iteration."""
    given = {name: value for name, value in wanted.items() if value is not None}
    return wire.followers.add(RemoteDeltas(wire, given))


def callback_thread(wire: HttpConnection, hear: DeltaCallback, **wanted: Any) -> Subscription:
    """Call *hear* with the *wanted* deltas until the returned subscription or the memory is closed."""
    return wire.followers.add(Subscription(delta_iterator(wire, **wanted), hear))
