"""An async memory: the same verbs, awaited; nothing it does waits on the caller's loop, and nothing stays behind."""

import asyncio
import importlib.util
import inspect
import uuid
from pathlib import Path

import pytest

from slowwave import AsyncMemoryScope
from slowwave.domain.delta import AppliedDelta
from slowwave.errors import Incorrect
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.asynchronous import faces
from slowwave.memory.asynchronous.twin import TWINS
from tests.integration.asynchronous.conftest import Opened

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


def test_async_push_and_recall_and_consolidate_and_facts_work_together(opened: Opened) -> None:
    async def told() -> None:
        async with opened() as memory:
            scope = memory.scope(user=uuid.uuid4().hex)
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
            assert (await scope.goals.add("find a flat")).description == "find a flat"
            assert isinstance(scope.in_channel("work"), AsyncMemoryScope)
            assert await memory.hold(scope, "a lawsuit") > 0
            with pytest.raises(Incorrect):
                await scope.push("")

    asyncio.run(told())


def test_two_loops_share_one_memory(opened: Opened) -> None:
    async def told() -> None:
        async with opened() as memory:
            scope = memory.scope(user=uuid.uuid4().hex)
            await asyncio.to_thread(lambda: asyncio.run(scope.push("from another loop", key="k")))
            assert (await scope.push("from another loop", key="k")).repeated

    asyncio.run(told())


def test_an_async_listener_receives_new_deltas(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []

    async def told() -> None:
        done = asyncio.Event()

        async def hear(delta: AppliedDelta) -> None:
            heard.append(delta.text)
            if delta.delta.kind == "add":
                done.set()

        async with opened() as memory:
            scope = memory.scope(user=uuid.uuid4().hex)
            async with scope.on_delta(hear), memory.follow() as deltas:
                await scope.push("I moved to Oslo")
                await scope.consolidate()
                async for delta in deltas:
                    if delta.delta.kind == "add":
                        assert delta.text == "The user lives in Oslo"
                        break
                await asyncio.wait_for(done.wait(), 60)

    asyncio.run(told())
    assert "The user lives in Oslo" in heard
