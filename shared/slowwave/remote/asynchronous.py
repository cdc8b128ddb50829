"""The verbs over HTTP for async callers. Each verb waits for the server on a thread of the event loop's executor."""

import asyncio
import functools
import inspect
import weakref
from collections.abc import Callable, Generator
from types import TracebackType
from typing import Any, Self, TypeVar

from slowwave.remote.memory import RemoteMemory
from slowwave.remote.scope import RemoteScope
from slowwave.remote.verb_groups import (
    RemoteCanaries,
    RemoteEncryption,
    RemoteGoals,
    RemoteOperator,
    RemoteQuotas,
    RemoteStrategies,
)
from slowwave.subscriptions import DeltaCallback
from slowwave.subscriptions.async_deltas import AsyncDeltaIterator, AsyncSubscription

T = TypeVar("T")
FACES = (
    RemoteCanaries, RemoteEncryption, RemoteGoals, RemoteMemory, RemoteOperator, RemoteQuotas, RemoteScope,
    RemoteStrategies,
)  # fmt: skip
AT_ONCE = {"scope", "in_channel"}
"""The verbs that never wait."""


class AsyncRemote:
    """The async variant of *face*, an object with the verbs of a memory on a server. Every verb is a coroutine."""

    def __init__(self, face: Any, room: "_Room | None" = None) -> None:
        self._face = face
        self._room = room or _Room()

    async def close(self) -> None:
        """Close the connections to the server, and end every iteration over deltas."""
        self._room.close()
        await asyncio.to_thread(self._face.close)

    def __getattr__(self, name: str) -> Any:
        """Return the verb *name* as a coroutine function, or the group of verbs *name*. Raises the errors of *face*."""
        attribute = getattr(self._face, name)
        if name == "follow":
            return self._followed
        if name == "on_delta":
            return self._heard
        if not inspect.ismethod(attribute):
            return self._handed(attribute)
        return functools.partial(self._at_once if name in AT_ONCE else self._awaited, attribute)

    def __repr__(self) -> str:
        return f"<Async{repr(self._face)[1:]}"

    def __await__(self) -> Generator[Any, None, Self]:
        """Return this object: a memory on a server needs no connection before its first verb."""
        return self.__aenter__().__await__()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _followed(self, **wanted: Any) -> AsyncDeltaIterator:
        return AsyncDeltaIterator(self._room, functools.partial(self._face.follow, **wanted))

    def _heard(self, hear: DeltaCallback, **wanted: Any) -> AsyncSubscription:
        return AsyncSubscription(self._followed(**wanted), hear)

    def _at_once(self, verb: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return self._handed(verb(*args, **kwargs))

    async def _awaited(self, verb: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return self._handed(await asyncio.to_thread(verb, *args, **kwargs))

    def _handed(self, found: Any) -> Any:
        return AsyncRemote(found, self._room) if isinstance(found, FACES) else found


class _Room:
    """Runs calls on threads of the event loop's executor, and cancels background tasks."""

    def __init__(self) -> None:
        self.closed = False
        self._tasks: weakref.WeakSet[asyncio.Task[Any]] = weakref.WeakSet()

    async def turns(self, work: Callable[[], T]) -> T:
        """Run *work* on a thread of the executor, and return its result."""
        return await asyncio.to_thread(work)

    def keep(self, task: "asyncio.Task[Any]") -> None:
        """Store *task* so that `close` cancels the task. The task may run on any event loop."""
        self._tasks.add(task)

    def close(self) -> None:
        """Cancel the tasks that `keep` has stored."""
        self.closed = True
        for task in list(self._tasks):
            if not task.get_loop().is_closed():
                task.get_loop().call_soon_threadsafe(task.cancel)
