"""Deltas as they come, for who awaits them."""

import asyncio
import inspect
import logging
import uuid
from collections.abc import AsyncIterator, Callable
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from slowwave.brief import brief
from slowwave.domain.delta import AppliedDelta
from slowwave.errors import Incorrect, SlowwaveError, Unavailable
from slowwave.hearing import deltas
from slowwave.hearing.deltas import PAGE, Deltas
from slowwave.hearing.listening import Hear, said_to_be_over
from slowwave.threads import LONGEST_PAUSE_SECONDS, Pause

_LOG = logging.getLogger(__name__)
T = TypeVar("T")


class Room(Protocol):
    """A place where what is asked for is done, so that no loop of a caller waits."""

    @property
    def closed(self) -> bool:
        """True once all that is asked for is refused."""

    async def turns(self, work: Callable[[], T]) -> T:
        """Return what *work* comes to, done somewhere else."""

    def keep(self, task: "asyncio.Task[Any]") -> None:
        """Have *task* cancelled when nothing is done here any more."""


class AsyncFollowing:
    """The deltas of a tenant or a scope as they come, as `Deltas` has them: `async for`, or `await` a `read`.

    It begins with the first of them that is awaited, or where it is told. *after* is the id of the last one that was
    handed over. While what they are read from is away the iteration waits, and *trouble* is the error that says so.
    """

    def __init__(self, room: Room, begin: Callable[[], Deltas]) -> None:
        self.room, self._begin = room, begin
        self._following: Deltas | None = None
        self._closed = False
        self._reading = asyncio.Lock()

    @property
    def after(self) -> uuid.UUID | None:
        """The id of the last delta that was handed over; None before the first."""
        return self._following.after if self._following else None

    @property
    def trouble(self) -> SlowwaveError | None:
        """The error that says why nothing is heard now; None where all is well."""
        return self._following.trouble if self._following else None

    async def read(self, limit: int = PAGE) -> list[AppliedDelta]:
        """Return at most *limit* deltas that have come since the last one; none where none has, without waiting.

        Raises `Unavailable` while what they are read from is away: ask again, nothing is lost.
        """
        async with self._reading:
            if self._closed:
                return []
            if self._following is None:
                self._following = await self.room.turns(self._begin)
            begun = self._following
            if begun.ready:  # at hand
                return begun.read(limit)
            await self.room.turns(begun.look)
            return begun.read(limit) if begun.ready else []

    async def close(self) -> None:
        """End the iteration; *after* says where to go on."""
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

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return brief(self, f"after {self.after}")


class AsyncListening:
    """A callback, or a coroutine function, that hears every delta in a task of the running loop, until it is closed.

    One that raises is logged, and hears the same delta again after a pause that doubles up to 30 s: none is passed
    over. *after* is the id of the last delta it has taken, from which to go on listening.
    """

    def __init__(self, following: AsyncFollowing, hear: Hear) -> None:
        self._deltas, self._hear = following, hear
        self.after: uuid.UUID | None = None
        self._task = asyncio.get_running_loop().create_task(self._run(), name="slowwave-listening")
        following.room.keep(self._task)

    @property
    def trouble(self) -> SlowwaveError | None:
        """The error that says why nothing is heard now; None where all is well."""
        return self._deltas.trouble

    async def close(self) -> None:
        """Stop; a callback that awaits is cancelled, and the delta in its hand counts as not taken."""
        await self._deltas.close()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def __aenter__(self) -> Self:
        await self._deltas.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return brief(self, f"after {self.after}", "ended" if self._task.done() else "")

    async def _run(self) -> None:
        try:
            await self._hear_all()
        except SlowwaveError as error:
            said_to_be_over(error)

    async def _hear_all(self) -> None:
        async for delta in self._deltas:
            pause = Pause(deltas.POLL_SECONDS, LONGEST_PAUSE_SECONDS)
            while not await self._taken(delta):
                await asyncio.sleep(pause.seconds)
                pause.double()

    async def _taken(self, delta: AppliedDelta) -> bool:
        try:
            said = self._hear(delta)
            if inspect.isawaitable(said):
                await said
        except Exception as error:  # noqa: BLE001  # the edge to a callback that somebody else wrote
            _LOG.error("who listens failed with %s at the delta %s: it is told again", type(error).__name__, delta.id)
            return False
        self.after = delta.id
        return True
