"""A cancelled or interrupted await leaves nothing behind: cancelled, closed, forked, or without Postgres."""

import asyncio
import os
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest

from slowwave import AsyncMemory, AsyncMemoryScope, wiring
from slowwave.embedded_services import PostgresServer
from slowwave.errors import Incorrect, Unavailable
from slowwave.memory import Memory
from slowwave.store import engine
from slowwave.store.inbox import inbox
from slowwave.store.inbox.inbox import PostgresInbox
from tests.integration.steps import awaiting

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
def test_waiting_calls_fail_when_postgres_dies_and_repeated_pushes_are_stored_once(
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
