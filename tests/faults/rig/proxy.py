"""A TCP proxy in front of the Unix socket of Redis or Postgres, with the faults of networks."""

import asyncio
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

Mode = Literal["sound", "half-open", "slow", "torn"]
"""The faults: *half-open* drops every byte, *slow* delays each piece, *torn* ends within an answer."""
MODES: tuple[Mode, ...] = ("torn", "slow", "half-open")
"""The faults in order of severity."""
SLOW_SECONDS = 0.25
AT_ONCE_BYTES = 65_536


class Proxy:
    """Forwards between a local port and *target* with the fault *mode*; a broken connection stays broken."""

    def __init__(self, target: Path, host: str) -> None:
        self._target, self._host = target, host
        self.mode: Mode = "sound"
        self.broken = 0
        self._lines: set[asyncio.StreamWriter] = set()
        self._dead: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """The address of a Redis behind it."""
        return f"redis://{self._host}:{self._port}/0"

    def postgres_url(self, database: str) -> str:
        """Return the address of a database of a Postgres behind it."""
        return f"postgresql://slowwave@{self._host}:{self._port}/{database}"

    @property
    def _port(self) -> int:
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    def fail(self, mode: Mode) -> None:
        """Set the fault for open and new connections; `sound` applies to new connections only."""
        self._do(self._fail, mode)

    def reset(self) -> None:
        """Reset every open connection."""
        self._do(self._reset)

    def _fail(self, mode: Mode) -> None:
        self.mode = mode
        if mode == "half-open":
            self._dead |= self._lines
            self.broken += len(self._lines)

    def _reset(self) -> None:
        for line in self._lines:
            with suppress(OSError):  # it has just ended by itself
                line.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            line.transport.abort()
            self.broken += 1

    def _do(self, act: object, *arguments: object) -> None:
        async def doing() -> None:
            act(*arguments)  # type: ignore[operator]

        asyncio.run_coroutine_threadsafe(doing(), self._loop).result(30)

    async def _serve(self, caller: asyncio.StreamReader, line: asyncio.StreamWriter) -> None:
        self._lines.add(line)
        if self.mode == "half-open":
            self._dead.add(line)
            self.broken += 1
        try:
            server, inner = await asyncio.open_unix_connection(self._target)
            try:
                await self._join(caller, line, server, inner)
            finally:
                inner.transport.abort()
        except (OSError, asyncio.CancelledError):
            pass  # the server is unreachable, or the test is over: close the connection
        finally:
            self._lines.discard(line)
            self._dead.discard(line)
            line.transport.abort()

    async def _join(
        self,
        caller: asyncio.StreamReader,
        line: asyncio.StreamWriter,
        server: asyncio.StreamReader,
        inner: asyncio.StreamWriter,
    ) -> None:
        asks = asyncio.create_task(self._pump(caller, inner, line, answers=False))
        answers = asyncio.create_task(self._pump(server, line, line, answers=True))
        try:
            await asyncio.wait([asks, answers], return_when=asyncio.FIRST_COMPLETED)
        finally:
            asks.cancel()
            answers.cancel()

    async def _pump(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, line: asyncio.StreamWriter, *, answers: bool
    ) -> None:
        with suppress(OSError):
            while (data := await source.read(AT_ONCE_BYTES)) or line in self._dead:
                if line in self._dead:
                    await asyncio.sleep(SLOW_SECONDS)  # forward nothing, not even the end of the connection
                    continue
                if self.mode == "slow":
                    await asyncio.sleep(SLOW_SECONDS)
                if self.mode == "torn" and answers:
                    self.broken += 1
                    sink.write(data[: len(data) // 2])
                    await sink.drain()
                    return
                sink.write(data)
                await sink.drain()

    async def _open(self) -> None:
        self._server = await asyncio.start_server(self._serve, self._host, 0)

    async def _close(self) -> None:
        assert self._server is not None
        self._server.close()
        pending = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        await asyncio.sleep(0)  # what was aborted is closed at the next turn


@contextmanager
def before(target: Path, host: str = "127.0.0.1") -> Iterator[Proxy]:
    """Give a sound proxy at the address *host*, before the socket *target*."""
    proxy = Proxy(target, host)
    thread = threading.Thread(target=proxy._loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(proxy._open(), proxy._loop).result(30)
    try:
        yield proxy
    finally:
        asyncio.run_coroutine_threadsafe(proxy._close(), proxy._loop).result(30)
        proxy._loop.call_soon_threadsafe(proxy._loop.stop)
        thread.join(30)
        proxy._loop.close()
