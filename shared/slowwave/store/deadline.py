"""The deadline of a transaction, enforced by the client, because a frozen server enforces no timeout."""

import contextlib
import math
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import psycopg

from slowwave.runtime import clock

LONGEST_WAIT_SECONDS = 1.0
"""The maximum number of seconds for which the thread sleeps at a time while transactions are open."""


@dataclass(slots=True)
class _Watch:
    """One thread per process, which closes connections past their deadline. A forked child makes its own thread."""

    change: threading.Condition = field(default_factory=threading.Condition)
    waiting: dict[int, tuple[float, psycopg.BaseConnection[Any]]] = field(default_factory=dict)
    names: Iterator[int] = field(default_factory=count)
    wakes: float = math.inf
    started: bool = False

    def add(self, connection: psycopg.BaseConnection[Any], seconds: float) -> int:
        with self.change:
            if not self.started:
                threading.Thread(target=self._run, name="slowwave-deadline", daemon=True).start()
                self.started = True
            name, end = next(self.names), clock.monotonic() + seconds
            self.waiting[name] = end, connection
            if end < self.wakes:  # else the thread wakes in time by itself, which is cheaper
                self.wakes = end
                self.change.notify()
            return name

    def remove(self, name: int) -> None:
        with self.change:
            self.waiting.pop(name, None)

    def _run(self) -> None:
        with self.change:
            while True:
                now = clock.monotonic()
                for name in [name for name, (end, _) in self.waiting.items() if end <= now]:
                    _hang_up(self.waiting.pop(name)[1])
                soonest = min((end for end, _ in self.waiting.values()), default=None)
                pause = None if soonest is None else min(soonest - now, LONGEST_WAIT_SECONDS)
                self.wakes = math.inf if pause is None else now + pause
                self.change.wait(pause)


_watch = _Watch()


@contextmanager
def within(connection: psycopg.BaseConnection[Any], seconds: float) -> Iterator[None]:
    """Close *connection* if the block takes longer than *seconds*. A pending statement then fails at once."""
    name = _watch.add(connection, seconds)
    try:
        yield
    finally:
        _watch.remove(name)


def gone(connection: psycopg.BaseConnection[Any]) -> bool:
    """Return whether the server has closed an idle *connection*. Nothing is sent to the server."""
    if connection.closed:
        return True
    try:
        with _socket(connection) as line:
            line.setblocking(False)
            line.recv(1, socket.MSG_PEEK)
        return True  # end-of-file, or an unrequested message, which a server sends before it closes
    except BlockingIOError:
        return False
    except OSError:
        return True


def _hang_up(connection: psycopg.BaseConnection[Any]) -> None:
    if connection.closed:
        return
    with contextlib.suppress(OSError), _socket(connection) as line:  # the connection may have ended meanwhile
        line.shutdown(socket.SHUT_RDWR)


@contextmanager
def _socket(connection: psycopg.BaseConnection[Any]) -> Iterator[socket.socket]:
    """Give the connection's own socket. A duplicate would need a free file descriptor, and may fail."""
    line = socket.socket(fileno=connection.fileno())
    try:
        yield line
    finally:
        line.detach()


def _after_fork() -> None:
    global _watch
    _watch = _Watch()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_after_fork)
