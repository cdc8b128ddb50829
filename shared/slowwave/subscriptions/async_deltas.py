"""New deltas, for async callers."""

import asyncio
import inspect
import logging
import uuid
from collections.abc import AsyncIterator, Callable
from typing import Any, Protocol, Self, TypeVar

from slowwave.domain.delta import AppliedDelta
from slowwave.errors import Incorrect, SlowwaveError, Unavailable
from slowwave.formatting import brief
from slowwave.subscriptions import deltas
from slowwave.subscriptions.deltas import PAGE, DeltaCallback, Deltas, log_end_of_subscription
from slowwave.threads import LONGEST_PAUSE_SECONDS, Pause

_LOG = logging.getLogger(__name__)
T = TypeVar("T")


class EventLoopHost(Protocol):
    """The host of an async memory's work, which runs outside the caller's event loop."""

    @property
    def closed(self) -> bool:
        """True after the host has closed and refuses new work."""

    async def turns(self, work: Callable[[], T]) -> T:
        """Return the result of *work*, which runs outside the caller's event loop."""

    def keep(self, task: "asyncio.Task[Any]") -> None:
        """Cancel *task* when the host closes."""


class AsyncDeltaIterator:
    """The new deltas of a tenant or a scope, in the order of `Deltas`. Use `async for`, or `await` the method `read`.

    Without a start position, the deltas begin with the first read. *after* is the id of the last returned delta. While
    the source is unreachable, the iteration waits, and *trouble* holds the error.
    """

    def __init__(self, room: EventLoopHost, begin: Callable[[], Deltas]) -> None:
        self.room, self._begin = room, begin
        self._following: Deltas | None = None
        self._closed = False
        self._reading = asyncio.Lock()

    @property
    def after(self) -> uuid.UUID | None:
        """The id of the last returned delta; None before the first delta."""
        return self._following.after if self._following else None

    @property
    def trouble(self) -> SlowwaveError | None:
        """The error that currently interrupts the deltas; None if there is no error."""
        return self._following.trouble if self._following else None

    async def read(self, limit: int = PAGE) -> list[AppliedDelta]:
        """Return at most *limit* deltas after the last returned delta, without waiting. The list may be empty.

        Raises `Unavailable` while the source is unreachable. A later call misses no delta.
        """
        async with self._reading:
            if self._closed:
                return []
            if self._following is None:
                self._following = await self.room.turns(self._begin)
            begun = self._following
            if begun.ready:  # these deltas are already fetched
                return begun.read(limit)
            await self.room.turns(begun.look)
            return begun.read(limit) if begun.ready else []

    async def close(self) -> None:
        """End the iteration. A new iteration can start after the delta with the id *after*."""
        self._closed = True
        if self._following is not None:
            self._following.close()

    def __aiter__(self) -> AsyncIterator[AppliedDelta]:
        return self

    async def __anext__(self) -> AppliedDelta:
        while not self._closed and not self.room.closed:
            try:
                if found := await self.read(1):
                    return found[0]
            except Unavailable:
                if self._following is None:
                    raise
            except Incorrect:
                if not self.room.closed:
                    raise
                break
            await asyncio.sleep(self._following.pause_before_next() if self._following else deltas.POLL_SECONDS)
        raise StopAsyncIteration

    async def __aenter__(self) -> Self:
        async with self._reading:
            if self._following is None and not self._closed:
                self._following = await self.room.turns(self._begin)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return brief(self, f"after {self.after}")


class AsyncSubscription:
    """A callback or coroutine function that gets every delta in a task of the running loop, until `close` is called.

    If the callback raises an error, the error is logged, and the callback gets the same delta again after a pause. The
    pause doubles up to 30 s. *after* is the id of the last delta that the callback has processed; a new subscription
    can start after this delta.
    """

    def __init__(self, following: AsyncDeltaIterator, hear: DeltaCallback) -> None:
        self._deltas, self._hear = following, hear
        self.after: uuid.UUID | None = None
        self._task = asyncio.get_running_loop().create_task(self._run(), name="slowwave-listening")
        following.room.keep(self._task)

    @property
    def trouble(self) -> SlowwaveError | None:
        """The error that currently interrupts the deltas; None if there is no error."""
        return self._deltas.trouble

    async def close(self) -> None:
        """End the subscription. A running coroutine is cancelled, and its delta counts as not processed."""
        await self._deltas.close()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def __aenter__(self) -> Self:
        await self._deltas.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return brief(self, f"after {self.after}", "ended" if self._task.done() else "")

    async def _run(self) -> None:
        try:
            await self._hear_all()
        except SlowwaveError as error:
            log_end_of_subscription(error)

    async def _hear_all(self) -> None:
        async for delta in self._deltas:
            pause = Pause(deltas.POLL_SECONDS, LONGEST_PAUSE_SECONDS)
            while not await self._taken(delta):
                await asyncio.sleep(pause.seconds)
                pause.double()

    async def _taken(self, delta: AppliedDelta) -> bool:
        try:
            result = self._hear(delta)
            if inspect.isawaitable(result):
                await result
        except Exception as error:  # noqa: BLE001  # a callback of the user may raise any exception
            _LOG.error(
                "The callback failed with %s at delta %s; Slowwave calls it again.", type(error).__name__, delta.id
            )
            return False
        self.after = delta.id
        return True
