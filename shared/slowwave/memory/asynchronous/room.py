"""The room where an async memory works: a thread with a loop of its own, and a few threads for what takes long."""

import asyncio
import contextvars
import os
import threading
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from slowwave.errors import Incorrect
from slowwave.store.bridge import spawned, waited_for
from slowwave.threads import take_turns_here

T = TypeVar("T")


class Room:
    """Does what verbs ask for, and lets no loop of a caller wait: any number of loops may ask.

    What `turns` is given takes turns on one thread, whose loop waits for Postgres: so many *at_once*, the others in
    line. What `threads` is given may block; as many threads as *at_once* do it.
    """

    def __init__(self, *, at_once: int) -> None:
        self._pid = os.getpid()
        self._closed = False
        self._kept: weakref.WeakSet[asyncio.Task[Any]] = weakref.WeakSet()
        self._at_once = asyncio.Semaphore(at_once)
        self._beside = ThreadPoolExecutor(at_once, thread_name_prefix="slowwave-aside")
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="slowwave-verb")
        self._loop = asyncio.SelectorEventLoop()  # the driver's wherever it runs: it waits for sockets
        self._thread = threading.Thread(target=self._run, name="slowwave-turns", daemon=True)
        self._thread.start()

    @property
    def closed(self) -> bool:
        """True once nothing is done here any more."""
        return self._closed

    async def turns(self, work: Callable[[], T]) -> T:
        """Return what *work* comes to, which waits for nobody but Postgres, or does so `aside`.

        Who is cancelled meanwhile is let go at once; what *work* had open is rolled back.
        """
        self._refuse()
        return await self._answered(self._submitted(self._turn(work, contextvars.copy_context())))

    async def threads(self, work: Callable[[], T]) -> T:
        """Return what *work* comes to, which may wait for anybody. Who is cancelled hears no more of it; it is done."""
        self._refuse()
        return await self._answered(self._threads.submit(contextvars.copy_context().run, work))

    def keep(self, task: "asyncio.Task[Any]") -> None:
        """Have *task*, of whatever loop, cancelled when the room is closed."""
        self._kept.add(task)

    async def close(self, last: Callable[[], object], hang_up: Callable[[], object]) -> None:
        """Refuse what comes, cancel what is in its turn, *hang_up* there; then do what is *last*, off every loop."""
        if not self._closed:
            self._refuse()
            self._closed = True
            await asyncio.shield(asyncio.ensure_future(self._end(last, hang_up)))

    async def _end(self, last: Callable[[], object], hang_up: Callable[[], object]) -> None:
        for task in list(self._kept):
            task.get_loop().call_soon_threadsafe(task.cancel)
        await asyncio.wrap_future(self._submitted(self._emptied(hang_up)))
        await asyncio.to_thread(last)
        self._loop.call_soon_threadsafe(self._loop.stop)
        await asyncio.to_thread(self._thread.join)
        self._beside.shutdown(wait=False, cancel_futures=True)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _run(self) -> None:
        take_turns_here(lambda work: waited_for(self._loop.run_in_executor(self._beside, work)))
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    async def _turn(self, work: Callable[[], T], context: contextvars.Context) -> T:
        async with self._at_once:
            if self._closed:
                raise _closed()
            return await self._loop.create_task(spawned(work), context=context)

    async def _emptied(self, hang_up: Callable[[], object]) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await spawned(hang_up)

    def _submitted(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _answered(self, future: "Future[T]") -> T:
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._closed and not (task and task.cancelling()):
                raise _closed() from None
            raise

    def _refuse(self) -> None:
        if os.getpid() != self._pid:
            raise Incorrect(
                "this memory was connected before the process was forked, and its threads are the parent's",
                hint="connect in the child: `async with AsyncMemory.connect()`",
            )
        if self._closed:
            raise _closed()


def _closed() -> Incorrect:
    return Incorrect("this memory was closed", hint="connect anew: `async with AsyncMemory.connect()`")
