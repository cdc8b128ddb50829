"""Reploid: an agent's loop over a long session, with memories prefetched for the next question."""

import asyncio
import statistics
import uuid

import pytest

from slowwave.adapters.loop import AgentRunner, MemoryManager
from slowwave.cli.bench.session import MAX_TOKENS, SESSION, found_again, live, talk
from slowwave.core.tokens import tokens
from slowwave.domain.working_memory import Conversation
from slowwave.errors import NotFound
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.asynchronous import AsyncMemory
from slowwave.memory.asynchronous.background_loop import BackgroundLoop
from slowwave.memory.verb_group import parts_of
from tests.conformance.s1_reploid.conftest import KITCHEN
from tests.conftest import NOON

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


@pytest.mark.requirement("S1.47", "S1.48", "S1.49", "S1.54", "S1.55", "S1.56")
def test_all_turns_of_a_session_of_120_turns_stay_recallable(mindful: Memory, alice: MemoryScope) -> None:
    lived = live(parts_of(mindful), alice, list(talk(120)))
    mindful.drain()

    limits = alice.working(SESSION).limits
    assert (lived.turns <= limits.turns, lived.tokens <= limits.tokens) == (True, True)
    assert lived.budgets <= MAX_TOKENS
    assert len(lived.evicted) > 30
    assert found_again(alice, lived.evicted) == 1.0
    likeness = [one.likeness for one in lived.questions if one.evicted]
    assert len(likeness) > 5
    assert statistics.fmean(likeness) > 0.9
    assert statistics.fmean(one.at_hand for one in lived.questions) > 0.5
    third = len(likeness) // 3
    assert statistics.fmean(likeness[-third:]) >= statistics.fmean(likeness[:third]) - 0.01


OTHERS = [f"The {name} met on a rainy evening." for name in ("choir", "book circle", "chess club", "film archive")]


@pytest.fixture
def renovating(alice: MemoryScope) -> MemoryScope:
    for number, words in enumerate([*KITCHEN, *OTHERS * 6]):
        alice.push(f"{words} ({number})" if number > 2 else words, key=f"k{number}", session="s0", occurred_at=NOON)
    Memory(parts_of(alice)).drain()
    return alice


def settled(alice: MemoryScope) -> set[str]:
    of = Conversation(alice.scope, "s1")
    assert parts_of(alice).anticipation.settled(of, 30)
    return {one.text for one in parts_of(alice).anticipation.ready(of)}


def accesses(alice: MemoryScope, memory: uuid.UUID) -> int:
    try:
        return alice.standing(memory).access_count
    except NotFound:
        return 0


@pytest.mark.requirement("S1.10", "S1.44")
def test_related_memories_are_prefetched_before_the_next_question(renovating: MemoryScope) -> None:
    first = renovating.context("The kitchen renovation again.", session="s1", limit=1, include_graph=False)
    told = {part.content for part in first.retrieved}
    ready = settled(renovating)

    assert first.reused == 0.0
    assert len(told & set(KITCHEN)) == 1
    assert set(KITCHEN) <= ready
    second = renovating.context("Until when is it put off?", session="s1", limit=1, include_graph=False)
    assert second.reused == 1.0
    assert set(KITCHEN) <= {part.content for part in second.retrieved}
    ahead = [part for part in second.retrieved if part.reasons.get("anticipated")]
    assert 0 < len(ahead) <= 10
    assert [part for part in second.retrieved if not part.reasons.get("anticipated")] == second.retrieved[:1]


@pytest.mark.requirement("S1.44")
def test_the_goal_of_a_conversation_directs_the_prefetch(renovating: MemoryScope) -> None:
    for number in range(60):
        renovating.push(f"Good morning, neighbour {number}!", session="s0")
    renovating.context("Good morning!", session="s1", limit=1)
    without = settled(renovating)

    renovating.working("s1").set_active_goal("g1", "finish the kitchen renovation")
    renovating.context("Good morning!", session="s1", limit=1)
    assert not set(KITCHEN) & without
    assert set(KITCHEN) <= settled(renovating)


def test_a_prefetched_memory_counts_no_access(renovating: MemoryScope) -> None:
    told = renovating.context("The kitchen renovation again.", session="s1", limit=1, include_graph=False)
    settled(renovating)

    ready = {one.id for one in parts_of(renovating).anticipation.ready(Conversation(renovating.scope, "s1"))}
    returned = {part.id for part in told.retrieved if part.id}
    assert len(ready - returned) > 5
    assert {accesses(renovating, one) for one in ready - returned} == {0}
    assert {accesses(renovating, one) for one in returned} == {1}


def test_prefetching_needs_a_session_and_can_be_turned_off(renovating: MemoryScope) -> None:
    renovating.context("The kitchen renovation again.", session="s1", anticipate=False)
    renovating.context("The kitchen renovation again.")

    assert settled(renovating) == set()
