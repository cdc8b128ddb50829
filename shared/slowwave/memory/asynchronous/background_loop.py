"""The background loop of an async memory: a thread with its own event loop, and the mailbox of this loop."""

import asyncio
import contextlib
import contextvars
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from slowwave.errors import Incorrect
from slowwave.store.direct import spawned, waited_for
from slowwave.threads import take_turns_here

T = TypeVar("T")


class LoopMailbox:
    """Calls that run on the thread of *loop*, in order. Any thread may add calls.

    Calls that wait together wake the loop only once, because waking the loop is slow: a thread writes to the loop's
    socket and releases the interpreter lock. If another thread is computing, the writing thread gets the lock back 5 ms
    later. For a hundred calls, this would be half a second.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: deque[Callable[[], object]] = deque()
        self._woken = False

    def put(self, call: Callable[[], object]) -> None:
        """Schedule *call* to run soon. On a closed loop, the call never runs."""
        self._waiting.append(call)
        if not self._woken:
            self._woken = True
            with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile, so nobody waits for the call
                self._loop.call_soon_threadsafe(self._take)

    def _take(self) -> None:
        self._woken = False  # cleared before the first call is taken, so that later calls wake the loop
        while self._waiting:
            self._waiting.popleft()()


class BackgroundLoop:
    """The threads that run the work of verbs, outside the event loops of the callers. Callers may use several loops.

    `turns` runs work that waits only for Postgres, on one thread with an event loop. At most *at_once* pieces of work
    run at a time; the others are queued. `threads` runs work that may block, on *at_once* threads.
    """

    def __init__(self, *, at_once: int) -> None:
        self._pid = os.getpid()
        self._closed = False
        self._tasks: weakref.WeakSet[asyncio.Task[Any]] = weakref.WeakSet()
        self._at_once = asyncio.Semaphore(at_once)
        self._beside = ThreadPoolExecutor(at_once, thread_name_prefix="slowwave-aside")
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="slowwave-verb")
        self._loop = asyncio.SelectorEventLoop()  # the async driver needs this kind of loop on every system
        self._letters = LoopMailbox(self._loop)
        self._back: dict[asyncio.AbstractEventLoop, LoopMailbox] = {}
        self._thread = threading.Thread(target=self._run, name="slowwave-turns", daemon=True)
        self._thread.start()

    @property
    def closed(self) -> bool:
        """True once the loop takes no more work."""
        return self._closed

    async def turns(self, work: Callable[[], T]) -> T:
        """Return the result of *work*, which waits only for Postgres.

        Other blocking steps of *work* use `run_in_thread`.

        If the caller is cancelled, it returns at once, and the open transaction of *work* is rolled back.
        """
        return await self._answer(self._turn(work))

    async def threads(self, work: Callable[[], T]) -> T:
        """Return the result of *work*, which may block.

        If the caller is cancelled, it returns at once, but the work completes.
        """
        context = contextvars.copy_context()
        return await self._answer(self._in_a_thread(lambda: context.run(work)))

    def keep(self, task: "asyncio.Task[Any]") -> None:
        """Cancel *task*, which may run on any event loop, when this background loop is closed."""
        self._tasks.add(task)

    async def close(self, last: Callable[[], object], hang_up: Callable[[], object]) -> None:
        """Refuse new work, cancel the work in `turns`, run *hang_up* on the loop's thread, then run *last* in another
        thread.
        """
        if not self._closed:
            self._refuse()
            self._closed = True
            await asyncio.shield(asyncio.ensure_future(self._end(last, hang_up)))

    async def _end(self, last: Callable[[], object], hang_up: Callable[[], object]) -> None:
        for task in list(self._tasks):
            task.get_loop().call_soon_threadsafe(task.cancel)
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._emptied(hang_up), self._loop))
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

    async def _turn(self, work: Callable[[], T]) -> T:
        async with self._at_once:
            self._refuse()
            return await spawned(work)

    async def _in_a_thread(self, work: Callable[[], T]) -> T:
        return await self._loop.run_in_executor(self._threads, work)

    async def _emptied(self, hang_up: Callable[[], object]) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await spawned(hang_up)

    async def _answer(self, asked: Coroutine[Any, Any, T]) -> T:
        """Return the result of *asked*. A single wake-up of the caller's loop delivers all results that are ready."""
        try:
            self._refuse()
        except Incorrect:
            asked.close()
            raise
        loop, context = asyncio.get_running_loop(), contextvars.copy_context()
        answer: asyncio.Future[T] = loop.create_future()
        back = self._letters_to(loop)
        begun: list[asyncio.Task[T]] = []

        def begin() -> None:
            task = self._loop.create_task(asked, context=context)
            begun.append(task)
            task.add_done_callback(lambda done: back.put(lambda: self._settle(answer, done)))

        self._letters.put(begin)
        try:
            return await answer
        except asyncio.CancelledError:
            self._letters.put(lambda: begun[0].cancel())
            raise

    def _letters_to(self, loop: asyncio.AbstractEventLoop) -> LoopMailbox:
        if loop not in self._back:
            for over in [one for one in self._back if one.is_closed()]:
                self._back.pop(over, None)
            self._back[loop] = LoopMailbox(loop)
        return self._back[loop]

    def _settle(self, answer: "asyncio.Future[T]", done: "asyncio.Task[T]") -> None:
        error = _closed() if done.cancelled() else done.exception()
        if answer.done():  # the caller was cancelled
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(done.result())

    def _refuse(self) -> None:
        if os.getpid() != self._pid:
            raise Incorrect(
                "this memory was connected before the process was forked, and its threads are the parent's",
                hint="connect in the child: `async with AsyncMemory.connect()`",
            )
        if self._closed:
            raise _closed()


def _closed() -> Incorrect:
    return Incorrect("this memory was closed", hint="connect again: `async with AsyncMemory.connect()`")
