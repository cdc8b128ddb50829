"""A deadline of a transaction, kept on our side: a server that is frozen answers no time-out of its own."""

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

from slowwave import clock


@dataclass(slots=True)
class _Watch:
    """One thread a process hangs up on connections whose time is over. Made anew after a fork."""

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
            if end < self.wakes:  # or it looks in time by itself: waking it for each costs more than the rest
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


LONGEST_WAIT_SECONDS = 1.0
"""How long it sleeps at a time while anybody waits."""
_watch = _Watch()


@contextmanager
def within(connection: psycopg.BaseConnection[Any], seconds: float) -> Iterator[None]:
    """Hang up on *connection* if the block takes longer than *seconds*: what waits there then fails at once."""
    name = _watch.add(connection, seconds)
    try:
        yield
    finally:
        _watch.remove(name)


def gone(connection: psycopg.BaseConnection[Any]) -> bool:
    """Return whether the server has hung up on an idle *connection*, without asking it anything."""
    if connection.closed:
        return True
    try:
        with _socket(connection) as line:
            line.setblocking(False)
            line.recv(1, socket.MSG_PEEK)
        return True  # the end, or a word nobody asked for, which is how a server says goodbye
    except BlockingIOError:
        return False
    except OSError:
        return True


def _hang_up(connection: psycopg.BaseConnection[Any]) -> None:
    if connection.closed:
        return
    with contextlib.suppress(OSError), _socket(connection) as line:  # it may have ended by itself meanwhile
        line.shutdown(socket.SHUT_RDWR)


@contextmanager
def _socket(connection: psycopg.BaseConnection[Any]) -> Iterator[socket.socket]:
    """Give the connection's own socket: a copy would need a descriptor, and this is wanted when there are none."""
    line = socket.socket(fileno=connection.fileno())
    try:
        yield line
    finally:
        line.detach()


def _anew() -> None:
    global _watch
    _watch = _Watch()


if hasattr(os, "register_at_fork"):  # Windows forks nothing
    os.register_at_fork(after_in_child=_anew)
