"""A memory that is not connected yet: use `await` or `async with`."""

import asyncio
import importlib
from collections.abc import Callable, Generator
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar

from slowwave.memory.asynchronous.background_loop import BackgroundLoop
from slowwave.memory.installation import Memory
from slowwave.memory.verb_group import parts_of
from slowwave.runtime import extras
from slowwave.wiring import Parts


class _Closes(Protocol):
    async def close(self) -> None:
        """Close the memory."""


M = TypeVar("M", bound=_Closes)


class PendingConnection(Generic[M]):
    """A memory that is not connected yet: `memory = await …`, or `async with … as memory`, which closes it."""

    def __init__(self, connect: Callable[[], Memory], made: Callable[[Memory, BackgroundLoop], M]) -> None:
        with extras.needed():
            importlib.import_module("greenlet")  # the bridge to the async driver needs it
        self._connect, self._made = connect, made
        self._memory: M | None = None

    def __await__(self) -> Generator[Any, None, M]:
        return self._opened().__await__()

    async def __aenter__(self) -> M:
        self._memory = await self._opened()
        return self._memory

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._memory is not None:
            await self._memory.close()

    async def _opened(self) -> M:
        connecting = asyncio.get_running_loop().run_in_executor(None, self._open)
        try:
            memory = await asyncio.shield(connecting)
        except asyncio.CancelledError:
            connecting.add_done_callback(_close_unwanted)
            raise
        return self._made(memory, BackgroundLoop(at_once=2 * parts_of(memory).settings.pool_size))

    def _open(self) -> Memory:
        memory = self._connect()
        _preload(parts_of(memory))
        return memory


def _preload(parts: Parts) -> None:
    """Load in advance what the first verb needs, so that its caller waits only for Postgres."""
    parts.embedder.load()
    _ = parts.predicates, parts.lifecycle, parts.bell, parts.accesses, parts.tally, parts.anticipation, parts.scorers


def _close_unwanted(connecting: "asyncio.Future[Memory]") -> None:
    if not connecting.cancelled() and connecting.exception() is None:
        asyncio.get_running_loop().run_in_executor(None, connecting.result().close)
