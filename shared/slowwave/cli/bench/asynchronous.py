"""Benchmark of the async API: how long calls stall the caller's event loop, compared with the sync API in threads."""

import asyncio
import gc
import sys
import time
import uuid
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

from slowwave.cli.bench.figures import Figures
from slowwave.cli.bench.sample_data import episodes, installed
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.asynchronous import AsyncMemory
from slowwave.threads import keep_pauses_short

AT_ONCE = 50
ROUNDS = 5
TARGET_MS = 20
BEAT_SECONDS = 0.001
QUESTION = "where do I live?"
Burst = Callable[[int], Awaitable[object]]


def measure(url: str, owner_url: str, count: int) -> Figures:
    """Return an event loop's longest stalls during 50 pushes and 50 recalls in a scope of *count* episodes."""
    with installed(url, owner_url):
        pass
    user = uuid.uuid4().hex
    figures = Figures("async")
    with Memory.connect(url) as memory:
        scope = memory.scope(user, agent="bench")
        scope.push_many(episodes(count))
        memory.drain(600)
        scope.recall(QUESTION)
        asyncio.run(_beside(figures, "nothing", lambda _: asyncio.sleep(0.5)))
        asyncio.run(_in_threads(figures, scope))
        asyncio.run(_awaited(figures, "AsyncMemory", url, user))
        switch = sys.getswitchinterval()
        asyncio.run(
            _awaited(figures, f"AsyncMemory, pauses kept short (target below {TARGET_MS})", url, user, short=True)
        )
        gc.unfreeze()
        sys.setswitchinterval(switch)
    return figures


async def _awaited(figures: Figures, name: str, url: str, user: str, *, short: bool = False) -> None:
    async with AsyncMemory.connect(url) as memory:
        scope = memory.scope(user, agent="bench")

        async def burst(number: int) -> None:
            await asyncio.gather(
                *(scope.push("I moved again", key=f"{name} {number} {one}") for one in range(AT_ONCE)),
                *(scope.recall(QUESTION) for _ in range(AT_ONCE)),
            )

        await scope.recall(QUESTION)
        if short:
            keep_pauses_short()
        await _beside(figures, name, burst)


async def _in_threads(figures: Figures, scope: MemoryScope) -> None:
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(8) as threads:

        def push(key: str) -> object:
            return scope.push("I moved again", key=key)

        async def burst(number: int) -> None:
            await asyncio.gather(
                *(loop.run_in_executor(threads, push, f"{number} {one}") for one in range(AT_ONCE)),
                *(loop.run_in_executor(threads, scope.recall, QUESTION) for _ in range(AT_ONCE)),
            )

        await _beside(figures, "Memory in 8 threads", burst)


async def _beside(figures: Figures, name: str, burst: Burst) -> None:
    """Add the delay of a task scheduled every millisecond while *burst* runs repeatedly."""
    delays: list[float] = []
    computing: list[float] = []

    async def beat() -> None:
        while True:
            began, computed = time.perf_counter(), time.process_time()
            await asyncio.sleep(BEAT_SECONDS)
            delays.append(time.perf_counter() - began - BEAT_SECONDS)
            computing.append(min(delays[-1], time.process_time() - computed))

    beating = asyncio.create_task(beat())
    began = time.perf_counter()
    for number in range(ROUNDS):
        await burst(number)
    taken = time.perf_counter() - began
    beating.cancel()
    delays.sort()
    figures.add(f"longest stall beside {name}", 1000 * delays[-1], "ms")
    figures.add("  longest by this process's own CPU time", 1000 * max(computing), "ms")
    figures.add("  99 of 100", 1000 * delays[int(0.99 * len(delays))], "ms")
    figures.add("  50 pushes and 50 recalls at once", 1000 * taken / ROUNDS, "ms")
