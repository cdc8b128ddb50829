"""An async memory: the same verbs, awaited; nothing blocks the loop, and a cancelled await leaves nothing behind."""

import asyncio
import concurrent.futures
import importlib.util
import inspect
import os
import socket
import threading
import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from slowwave import AsyncMemory, AsyncMemoryScope, wiring
from slowwave.domain.delta import AppliedDelta
from slowwave.embedded_services import PostgresServer
from slowwave.errors import Incorrect, Unavailable
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.asynchronous import faces
from slowwave.memory.asynchronous.twin import TWINS
from slowwave.store import engine
from slowwave.store.inbox import inbox
from slowwave.store.inbox.inbox import PostgresInbox
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


WAITING = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'slowwave' AND wait_event_type = 'Lock'
"""
OPEN = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'slowwave' AND state <> 'idle'
"""
IN_LINE = 20
"""The number of waiting calls, more than there are connections."""


@pytest.fixture
def holder(postgres_server: PostgresServer, database_name: str) -> str:
    """The address of the test's database for a session that locks a scope's row."""
    return postgres_server.url("postgres", database_name)


@asynccontextmanager
async def held(holder: str, scope: AsyncMemoryScope) -> AsyncIterator[psycopg.AsyncConnection]:
    """Block every push to *scope* during the block."""
    async with await psycopg.AsyncConnection.connect(holder) as connection:
        await connection.execute("SELECT FROM scope_heads WHERE scope = %s FOR UPDATE", [scope.scope.id])
        yield connection
        await connection.rollback()


async def count(url: str, statement: str) -> int:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        (found,) = await (await connection.execute(statement.encode())).fetchone() or (0,)
        return int(found)


async def until(url: str, statement: str, wanted: int) -> None:
    for _ in range(3_000):
        if await count(url, statement) == wanted:
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"it never came to {wanted}")


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> list[type[BaseException]]:
    """Return a list that records the exceptions that ended transactions without storing."""
    seen: list[type[BaseException]] = []
    store = PostgresInbox.store

    def watched(self: PostgresInbox, items: Any) -> Any:
        try:
            return store(self, items)
        except BaseException as error:
            seen.append(type(error))
            raise

    monkeypatch.setattr(PostgresInbox, "store", watched)
    monkeypatch.setattr(inbox, "PUSH_SECONDS", 600.0)
    for limit in ("LOCK_MS", "STATEMENT_MS"):  # a long deadline, so that a busy machine cuts off no statement
        monkeypatch.setattr(engine, limit, 600_000)
    return seen


def test_a_cancelled_call_leaves_no_open_transaction_and_no_partial_write(
    parts: wiring.Parts, holder: str, cut: list[type[BaseException]]
) -> None:
    async def act(memory: AsyncMemory) -> None:
        scope = memory.scope("alice")
        await scope.push("first")
        async with held(holder, scope):
            pushes = [asyncio.create_task(scope.push("x", key=f"k{number}")) for number in range(IN_LINE)]
            await until(holder, WAITING, 8)
            for push in pushes:
                push.cancel()
            ended = await asyncio.gather(*pushes, return_exceptions=True)
            assert {type(one) for one in ended} == {asyncio.CancelledError}
            await until(holder, WAITING, 0)
        await until(holder, OPEN, 0)
        assert len(cut) >= 8  # the next waiting call may get a connection before it is cancelled
        assert set(cut) == {asyncio.CancelledError}
        again = await asyncio.gather(*(scope.push("x", key=f"k{number}") for number in range(IN_LINE)))
        assert sorted((one.position or 0, one.repeated) for one in again) == [
            (number + 2, False) for number in range(IN_LINE)
        ]

    awaiting(Memory(parts), act)


def test_closing_ends_waiting_calls_and_disconnects(parts: wiring.Parts, holder: str) -> None:
    async def act(memory: AsyncMemory) -> None:
        scope = memory.scope("alice")
        await scope.push("first")
        async with held(holder, scope):
            push = asyncio.create_task(scope.push("x"))
            await until(holder, WAITING, 1)
            await memory._room.close(last=lambda: None, hang_up=parts.database.hang_up)
            with pytest.raises(Incorrect, match="was closed"):
                await push
            await until(holder, WAITING, 0)
        with pytest.raises(Incorrect, match="was closed"):
            await scope.recall("x")

    awaiting(Memory(parts), act)


def test_a_forked_child_must_connect_for_itself(parts: wiring.Parts) -> None:
    async def act(memory: AsyncMemory) -> None:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                await memory.scope("alice").push("x")
            except Incorrect as error:
                code = 0 if "forked" in error.message else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

    awaiting(Memory(parts), act)


@pytest.mark.accept
def test_waiting_calls_fail_with_postgres_and_repeated_pushes_are_stored_once(
    mortal_postgres: PostgresServer,
) -> None:
    async def told() -> None:
        async with AsyncMemory.connect(mortal_postgres.url(), statements=False) as memory:
            scope = memory.scope(user=uuid.uuid4().hex)
            await scope.push("first")
            superuser = mortal_postgres.url("postgres")
            holding = await psycopg.AsyncConnection.connect(superuser)
            await holding.execute("SELECT FROM scope_heads WHERE scope = %s FOR UPDATE", [scope.scope.id])
            pushes = [asyncio.create_task(scope.push("x", key=f"k{number}")) for number in range(50)]
            await until(superuser, WAITING, 8)

            await asyncio.to_thread(mortal_postgres.kill)

            ended = await asyncio.gather(*pushes, return_exceptions=True)
            assert {type(one) for one in ended} == {Unavailable}
            await asyncio.to_thread(mortal_postgres.start)
            again = await asyncio.gather(*(scope.push("x", key=f"k{number}") for number in range(50)))
            assert sorted(one.position or 0 for one in again) == list(range(2, 52))
            await holding.close()

    asyncio.run(told())


def test_a_missing_async_extra_is_named(parts: wiring.Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "greenlet", None)

    with pytest.raises(Incorrect, match="greenlet") as refused:
        AsyncMemory.connect()
    assert refused.value.hint == 'pip install "slowwave[async]"'
