"""Reploid: what a conversation will need is looked up before it is asked, and counts when it is told."""

import uuid

import pytest

from slowwave.domain.working_memory import Conversation
from slowwave.errors import NotFound
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from tests.conftest import NOON

KITCHEN = [
    "For the kitchen renovation, Marta brings the ladder over from Ghent.",
    "The kitchen renovation costs 300 euros more than planned, because of the wiring.",
    "We put the kitchen renovation off until Whit Monday.",
]
OTHERS = [f"The {name} met on a rainy evening." for name in ("choir", "book circle", "chess club", "film archive")]


@pytest.fixture
def alice(mindful: Memory) -> MemoryScope:
    scope = mindful.scope(f"alice-{uuid.uuid4().hex[:8]}", agent="concierge")
    for number, words in enumerate([*KITCHEN, *OTHERS * 6]):
        scope.push(f"{words} ({number})" if number > 2 else words, key=f"k{number}", session="s0", occurred_at=NOON)
    Memory(parts_of(scope)).drain()
    return scope


def settled(alice: MemoryScope) -> set[str]:
    of = Conversation(alice.scope, "s1")
    assert parts_of(alice).anticipation.settled(of, 30)
    return {one.text for one in parts_of(alice).anticipation.ready(of)}


def accesses(alice: MemoryScope, memory: uuid.UUID) -> int:
    try:
        return alice.standing(memory).access_count
    except NotFound:
        return 0


@pytest.mark.requirement("S1.44")
def test_related_memories_are_prefetched_before_the_next_question(alice: MemoryScope) -> None:
    first = alice.context("The kitchen renovation again.", session="s1", limit=1, include_graph=False)
    told = {part.content for part in first.retrieved}
    ready = settled(alice)

    assert first.reused == 0.0
    assert len(told & set(KITCHEN)) == 1
    assert set(KITCHEN) <= ready
    second = alice.context("Until when is it put off?", session="s1", limit=1, include_graph=False)
    assert second.reused == 1.0
    assert set(KITCHEN) <= {part.content for part in second.retrieved}
    ahead = [part for part in second.retrieved if part.reasons.get("anticipated")]
    assert 0 < len(ahead) <= 10
    assert [part for part in second.retrieved if not part.reasons.get("anticipated")] == second.retrieved[:1]


@pytest.mark.requirement("S1.44")
def test_the_goal_of_a_conversation_directs_the_prefetch(alice: MemoryScope) -> None:
    for number in range(60):
        alice.push(f"Good morning, neighbour {number}!", session="s0")
    alice.context("Good morning!", session="s1", limit=1)
    without = settled(alice)

    alice.working("s1").set_active_goal("g1", "finish the kitchen renovation")
    alice.context("Good morning!", session="s1", limit=1)
    assert not set(KITCHEN) & without
    assert set(KITCHEN) <= settled(alice)


def test_a_prefetched_memory_counts_no_access(alice: MemoryScope) -> None:
    told = alice.context("The kitchen renovation again.", session="s1", limit=1, include_graph=False)
    settled(alice)

    ready = {one.id for one in parts_of(alice).anticipation.ready(Conversation(alice.scope, "s1"))}
    returned = {part.id for part in told.retrieved if part.id}
    assert len(ready - returned) > 5
    assert {accesses(alice, one) for one in ready - returned} == {0}
    assert {accesses(alice, one) for one in returned} == {1}


def test_prefetching_needs_a_session_and_can_be_turned_off(alice: MemoryScope) -> None:
    alice.context("The kitchen renovation again.", session="s1", anticipate=False)
    alice.context("The kitchen renovation again.")

    assert settled(alice) == set()
