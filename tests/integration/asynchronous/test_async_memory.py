"""An async memory: the same verbs, awaited; nothing it does blocks the caller's loop."""

import asyncio
import concurrent.futures
import importlib.util
import inspect
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from slowwave import AsyncMemory, AsyncMemoryScope, wiring
from slowwave.domain.delta import AppliedDelta
from slowwave.errors import Incorrect
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.asynchronous import faces
from slowwave.memory.asynchronous.twin import TWINS
from tests.integration.steps import awaiting

ROOT = Path(__file__).parents[3]


def test_each_verb_has_an_async_twin_with_the_same_signature_and_docstring() -> None:
    for face, made in TWINS.items():
        for name, verb in inspect.getmembers(face, inspect.isfunction):
            if not name.startswith("_") and name != "close":
                other = getattr(made, name)
                assert (other.__doc__, inspect.signature(other)) == (verb.__doc__, inspect.signature(verb)), name
    assert {MemoryScope, Memory} < TWINS.keys()


def test_the_type_stub_of_the_async_twins_is_current(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("async_faces", ROOT / "ops" / "async_faces.py")
    assert spec is not None
    assert spec.loader is not None
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)

    maker.write(tmp_path / "faces.pyi")

    stub = Path(faces.__file__).with_suffix(".pyi").read_text()
    assert (tmp_path / "faces.pyi").read_text() == stub, "run `python ops/async_faces.py`"


def test_async_push_and_recall_and_consolidate_and_facts_work_together(parts: wiring.Parts) -> None:
    async def act(memory: AsyncMemory) -> None:
        scope = memory.scope("alice")
        receipt = await scope.push("I moved to Oslo", session="s1")
        assert (receipt.state, (await scope.recall("where?"))[0].id) == ("stored", receipt.id)
        await scope.consolidate()
        (fact,) = await scope.facts()
        assert fact.text == "The user lives in Oslo"
        assert "Oslo" in (await scope.context("where do I live?", session="s1")).as_text()
        assert (await memory.why(fact.id)).fact == fact.id
        undone = await memory.undo((await scope.deltas())[0].run, by="Anna")
        assert (undone.by, await scope.facts(), len(await scope.undos())) == ("Anna", [], 1)
        assert (await memory.undo(undone.id)).withdraws == undone.id
        assert (await memory.replay("everyday")).runs == (await scope.replay("everyday")).runs == ()
        assert (await scope.goals.add("find a flat")).description == "find a flat"
        assert isinstance(scope.in_channel("work"), AsyncMemoryScope)
        assert await memory.hold(scope, "a lawsuit") > 0
        with pytest.raises(Incorrect):
            await scope.push("")

    awaiting(Memory(parts), act)


def test_two_loops_share_one_memory(parts: wiring.Parts) -> None:
    async def act(memory: AsyncMemory) -> None:
        scope = memory.scope("alice")
        await asyncio.to_thread(lambda: asyncio.run(scope.push("from another loop", key="k")))
        assert (await scope.push("from another loop", key="k")).repeated

    awaiting(Memory(parts), act)


def test_an_async_listener_receives_new_deltas(parts: wiring.Parts) -> None:
    heard: list[str] = []

    async def act(memory: AsyncMemory) -> None:
        done, scope = asyncio.Event(), memory.scope("alice")

        async def hear(delta: AppliedDelta) -> None:
            heard.append(delta.text)
            if delta.delta.kind == "add":
                done.set()

        async with scope.on_delta(hear), memory.follow() as deltas:
            await scope.push("I moved to Oslo")
            await scope.consolidate()
            async for delta in deltas:
                if delta.delta.kind == "add":
                    assert delta.text == "The user lives in Oslo"
                    break
            await asyncio.wait_for(done.wait(), 60)

    awaiting(Memory(parts), act)
    assert "The user lives in Oslo" in heard


Waits = list[tuple[str, str]]


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> Waits:
    """Every call that may block, with its thread: of the driver, of sockets, and of waits for results."""
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
    async def act(memory: AsyncMemory) -> None:
        scope = memory.scope("alice")
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

    awaiting(mindful, act)

    here = {threading.current_thread().name, "slowwave-turns"}
    assert [one for one in waits if one[0] in here] == []
    assert any(thread.startswith("slowwave-verb") for thread, _ in waits)  # it is seen where it is allowed
