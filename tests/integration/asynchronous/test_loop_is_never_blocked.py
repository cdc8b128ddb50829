"""Nothing an async memory does waits on the caller's loop, nor on the thread where its verbs take turns."""

import asyncio
import concurrent.futures
import socket
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from slowwave import AsyncMemory
from slowwave.memory import Memory
from slowwave.memory.asynchronous.background_loop import BackgroundLoop
from slowwave.memory.verb_group import parts_of

Waits = list[tuple[str, str]]


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> Waits:
    """Every call that may block, with its thread: of the driver, of sockets, for the results of others."""
    seen: Waits = []

    def watched(owner: Any, name: str, *, blocks: Callable[..., bool] = lambda *_: True) -> None:
        real = getattr(owner, name)

        def called(*args: Any, **kwargs: Any) -> Any:
            if blocks(*args):
                seen.append((threading.current_thread().name, f"{owner.__name__}.{name}"))
            return real(*args, **kwargs)

        monkeypatch.setattr(owner, name, called)

    watched(psycopg.Connection, "wait")
    watched(time, "sleep", blocks=lambda seconds: seconds > 0)
    watched(concurrent.futures.Future, "result", blocks=lambda self, *_: not self.done())
    for name in ("connect", "recv", "recv_into", "send", "sendall"):
        watched(socket.socket, name, blocks=lambda self, *_: self.gettimeout() != 0)
    return seen


@pytest.mark.parametrize("at_once", [3, pytest.param(50, marks=pytest.mark.accept)])
def test_no_verb_blocks_the_event_loop(mindful: Memory, waits: Waits, at_once: int) -> None:
    async def told() -> None:
        parts = parts_of(mindful)
        memory = AsyncMemory(mindful, BackgroundLoop(at_once=2 * parts.settings.pool_size))
        scope = memory.scope(user=uuid.uuid4().hex)
        await scope.store_turn("I moved to Oslo", session="s1")
        del waits[:]  # the session's cache was made
        await asyncio.gather(
            *(scope.push(f"I like {number}", session="s1") for number in range(at_once)),
            *(scope.recall("where do I live?", explain=True) for _ in range(at_once)),
            *(scope.context("where do I live?", session="s1") for _ in range(3)),
            scope.facts(),
            scope.recent(),
            scope.store_turn("I sold my piano", session="s1"),
            scope.goals.add("find a flat"),
        )
        await memory._room.close(last=lambda: None, hang_up=parts.database.hang_up)

    asyncio.run(told())

    here = {threading.current_thread().name, "slowwave-turns"}
    assert [one for one in waits if one[0] in here] == []
    assert any(thread.startswith("slowwave-verb") for thread, _ in waits)  # it is seen where it is allowed
