"""An async memory on the test's database."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from slowwave import AsyncMemory, wiring
from slowwave.memory import Memory
from slowwave.memory.asynchronous.background_loop import BackgroundLoop

Opened = Callable[[], AbstractAsyncContextManager[AsyncMemory]]


@pytest.fixture
def opened(parts: wiring.Parts) -> Opened:
    """Return a function that opens an async memory on the test's database; the working memory is cleared afterwards."""

    @asynccontextmanager
    async def open_() -> AsyncIterator[AsyncMemory]:
        memory = AsyncMemory(Memory(parts), BackgroundLoop(at_once=8))
        try:
            yield memory
        finally:
            await memory._room.close(last=lambda: None, hang_up=parts.database.hang_up)

    return open_
