"""Reploid: an agent's loop manages its context by itself, and no error of its memory costs a reply."""

import asyncio

import pytest

from slowwave.adapters.loop import AgentRunner, MemoryManager
from slowwave.core.tokens import tokens
from slowwave.memory import Memory
from slowwave.memory.asynchronous import AsyncMemory
from slowwave.memory.asynchronous.background_loop import BackgroundLoop
from slowwave.memory.verb_group import parts_of

BUDGET = 300


@pytest.mark.requirement("S1.46")
def test_the_loop_keeps_each_context_within_its_budget_and_evicted_turns_stay_stored(mindful: Memory) -> None:
    sizes: list[int] = []

    async def model(messages: list[dict[str, str]]) -> str:
        sizes.append(sum(tokens(one["content"]) for one in messages[:-1]))
        return "Noted. " + "a word " * 20

    async def walk() -> None:
        memory = AsyncMemory(mindful, BackgroundLoop(at_once=4))
        scope = memory.scope("reploid", agent="loop")
        runner = AgentRunner(MemoryManager(scope, "s1", max_tokens=BUDGET), model)
        for number in range(12):
            await runner.run(f"Turn {number} speaks of harbour number {number}. " + "and more " * 10)

        kept = await (await scope.working("s1")).get_recent_turns()
        said = await scope.conversation("s1")
        assert len(said) == 24
        assert len(kept) < 24
        assert kept[-1].content == said[-1].content
        assert sum(turn.tokens for turn in kept) <= BUDGET
        assert any("number 0." in one.text for one in await scope.recall("harbour number 0"))
        await memory._room.close(last=lambda: None, hang_up=parts_of(mindful).database.hang_up)

    asyncio.run(walk())
    assert sizes[0] == 0 < sizes[1]
    assert max(sizes) <= BUDGET


def test_a_reply_of_the_model_is_kept_when_the_memory_fails(mindful: Memory) -> None:
    async def model(messages: list[dict[str, str]]) -> str:
        return f"{len(messages)} message"

    async def walk() -> str:
        memory = AsyncMemory(mindful, BackgroundLoop(at_once=2))
        runner = AgentRunner(MemoryManager(memory.scope("reploid")), model)
        await memory._room.close(last=lambda: None, hang_up=parts_of(mindful).database.hang_up)
        return await runner.run("hello")

    assert asyncio.run(walk()) == "1 message"
