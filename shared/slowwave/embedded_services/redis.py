"""The embedded Redis: one server for the broker and one for the cache, each on a Unix socket.

The servers hold only copies of data.
"""

import os
import signal
import socket
from pathlib import Path
from typing import ClassVar

from slowwave.embedded_services.binaries import redis_program
from slowwave.embedded_services.server import Server

SOCKET = "redis.sock"
SETTINGS = {
    "port": "0",
    "unixsocketperm": "700",
    "daemonize": "no",
    "databases": "16",
    "save": "",
    "appendonly": "yes",
    "appendfsync": "everysec",
    "maxmemory-policy": "noeviction",  # a broker that evicts under memory pressure would lose messages silently
}
WITHOUT_DURABILITY = {"appendonly": "no"}


CACHE_BYTES = 64 * 1024 * 1024
"""The default memory limit of the cache. It is enough for the cached turns of some thousand conversations."""


class RedisServer(Server):
    """A Redis (or Valkey) server on a Unix socket. Only the user of the server and root can reach the socket.

    The server needs no password, because access to the socket is restricted. The roles in ops/redis are for servers on
    a TCP port.
    """

    name: ClassVar[str] = "Redis"
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM

    @property
    def socket(self) -> Path:
        """The path of the server's socket."""
        return self.sockets / SOCKET

    @property
    def broker_url(self) -> str:
        """The address of database 0, as kombu and Celery need it."""
        return f"redis+socket://{self.socket}?virtual_host=0"

    def url(self, database: int = 1) -> str:
        """Return the address of a numbered database, as redis-py needs it."""
        return f"unix://{self.socket}?db={database}"

    def freeze(self) -> None:
        """Suspend the server. Connections stay open, and the server does not reply."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Resume the server after `freeze`."""
        self._signal(signal.SIGCONT)

    def _own(self) -> dict[str, str]:
        return SETTINGS | ({} if self.durable else WITHOUT_DURABILITY)

    def _prepare(self, claim: int) -> list[str]:
        del claim  # no other program runs before the server
        data = self.folder / "data"
        self.account.adopt(data)
        settings = self._own() | self.settings
        settings |= {"unixsocket": str(self.socket), "dir": str(data)}
        options = [part for name, value in settings.items() for part in (f"--{name}", value)]
        return [str(redis_program(self.account, self.folder)), *options]

    def _answers(self) -> bool:
        try:
            with socket.socket(socket.AF_UNIX) as line:
                line.settimeout(1.0)
                line.connect(os.fspath(self.socket))
                line.sendall(b"PING\r\n")
                return line.recv(5) == b"+PONG"
        except OSError:  # no socket yet, nobody behind it, or no answer in time
            return False

    def _signal(self, number: signal.Signals) -> None:
        pid = self.pid
        if pid is not None:
            os.kill(pid, number)


class CacheServer(RedisServer):
    """A Redis server limited to *most_bytes*. It evicts the least recently used keys.

    No data is stored on disk. Turns are restored from their episodes; all other data is lost with the server.
    """

    name: ClassVar[str] = "Redis for the cache"

    def __init__(self, folder: Path, *, most_bytes: int = CACHE_BYTES, timeout_seconds: float = 60.0) -> None:
        super().__init__(folder, durable=False, timeout_seconds=timeout_seconds)
        self.most_bytes = most_bytes

    def _own(self) -> dict[str, str]:
        return super()._own() | {"maxmemory": str(self.most_bytes), "maxmemory-policy": "allkeys-lru"}
