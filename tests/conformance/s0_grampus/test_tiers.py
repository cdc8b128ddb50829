"""Grampus, tiers: hot for an hour, warm for a week, cold for ever; accesses raise, sweeps lower."""

import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from slowwave.domain.job_table import SWEEP
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.counted_recall import write_accesses
from slowwave.memory.verb_group import parts_of
from tests.contract.harness import Harness
from tests.contract.memory_state.harness import chosen, column, run

DAY, HOUR, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1)
Passed = Callable[[timedelta], None]


@pytest.fixture
def mine(harness: Harness, scope: Scope) -> Iterator[MemoryScope]:
    chosen(harness, "grampus_f3")
    harness.told(scope, 2)
    Memory(harness.parts).drain()
    yield MemoryScope(harness.parts, scope)
    harness.parts.accesses.close()


def accessed(mine: MemoryScope) -> uuid.UUID:
    """Ask for the fact once, and return its id."""
    fact = next(one for one in mine.recall("food1", limit=10) if one.kind == "fact")
    write_accesses(parts_of(mine))
    return fact.id


def accessed_thrice(mine: MemoryScope, passed: Passed) -> uuid.UUID:
    """Ask for the fact in three seconds, so that it is hot, and return its id."""
    for second in range(3):
        passed(second * SECOND)
        fact = accessed(mine)
    return fact


def swept(harness: Harness, memory: uuid.UUID) -> str:
    """Return where *memory* stands after a sweep."""
    run(harness, SWEEP)
    return str(column(harness, memory, "tier"))


@pytest.mark.requirement("S0.23")
def test_each_recalled_record_counts_an_access_and_rises(harness: Harness, mine: MemoryScope) -> None:
    found = mine.recall("food1", limit=10)

    assert {one.kind for one in found} == {"fact", "episode"}
    for one in found:
        tracked = mine.standing(one)
        assert (tracked.access_count, tracked.tier) == (1, "warm")
        assert tracked.last_access == tracked.evidence == tracked.accesses[0]
    for _ in range(2):
        mine.recall("food1", limit=10)
        Memory(parts_of(mine)).drain()
    assert {mine.standing(one).tier for one in found} == {"hot"}


@pytest.mark.requirement("S0.19")
def test_verbs_that_return_a_memory_count_an_access_and_previews_do_not(harness: Harness, mine: MemoryScope) -> None:
    episode = mine.scope.episode_id("k1")
    fact = next(fact.id for fact in mine.facts() if fact.object == "food1")
    reads: list[tuple[Callable[[], object], set[uuid.UUID]]] = [
        (lambda: mine.recall("food1", limit=2), {episode, fact}),
        (mine.facts, {fact}),
        (lambda: mine.stream.recall("food1"), {episode}),
        (mine.recent, {episode}),
        (lambda: mine.conversation("default"), {episode}),
        (lambda: mine.episode("k1"), {episode}),
        (lambda: mine.entries([episode, fact]), {episode, fact}),
        (lambda: mine.continuum.retrieve("I like food1", min_similarity=0.9), {episode}),
        (lambda: mine.search_index("food1"), set()),
        (lambda: mine.timeline(fact), set()),
        (mine.conversations, set()),
    ]
    counted = {episode: 0, fact: 1}
    for number, (read, returned) in enumerate(reads):
        read()
        write_accesses(harness.parts)
        counted |= {memory: count + 1 for memory, count in counted.items() if memory in returned}
        assert {memory: column(harness, memory, "access_count") for memory, count in counted.items() if count} == {
            memory: count for memory, count in counted.items() if count
        }, number


@pytest.mark.requirement("S0.22")
def test_a_new_memory_is_cold_and_stays_cold(harness: Harness, mine: MemoryScope, passed: Passed) -> None:
    tiers = "SELECT DISTINCT tier FROM standing WHERE kind = 'semantic'"
    assert harness.rows(tiers) == [("cold",)]

    passed(10_000 * DAY)
    run(harness, SWEEP)

    assert harness.rows(tiers) == [("cold",)]
    assert len(mine.facts()) == 2


@pytest.mark.requirement("S0.20", "S0.25", "S0.26")
def test_one_access_makes_warm_and_three_within_seven_days_make_hot(
    harness: Harness, mine: MemoryScope, passed: Passed
) -> None:
    stood = []
    for time in (0 * DAY, 3 * DAY, 7 * DAY + SECOND, 7 * DAY + 2 * SECOND):
        passed(time)
        stood.append(column(harness, accessed(mine), "tier"))

    assert stood == ["warm", "warm", "warm", "hot"], "the third came a second after seven days, the fourth in time"


@pytest.mark.requirement("S0.20", "S0.27")
def test_hot_goes_down_in_a_sweep_an_hour_after_the_last_access(
    harness: Harness, mine: MemoryScope, passed: Passed
) -> None:
    fact = accessed_thrice(mine, passed)

    passed(HOUR + 2 * SECOND)
    assert swept(harness, fact) == "hot"
    passed(HOUR + 3 * SECOND)
    assert swept(harness, fact) == "warm"


@pytest.mark.requirement("S0.28")
def test_warm_goes_down_in_a_sweep_seven_days_after_the_last_access(
    harness: Harness, mine: MemoryScope, passed: Passed
) -> None:
    fact = accessed(mine)

    passed(7 * DAY)
    assert swept(harness, fact) == "warm"
    passed(7 * DAY + SECOND)
    assert swept(harness, fact) == "cold"


@pytest.mark.requirement("S0.24")
def test_a_sweep_at_session_start_lowers_the_memories_of_the_previous_session(
    harness: Harness, mine: MemoryScope, passed: Passed
) -> None:
    fact = accessed_thrice(mine, passed)
    assert column(harness, fact, "tier") == "hot"

    passed(2 * HOUR)
    mine.push("Hello again", session="default", key="same")
    Memory(harness.parts).drain()
    assert column(harness, fact, "tier") == "hot", "the session of before goes on"

    mine.push("Hello again", session="the next one", key="new")
    Memory(harness.parts).drain()
    assert column(harness, fact, "tier") == "warm"


@pytest.mark.requirement("S0.24")
def test_a_sweep_is_a_verb_too(harness: Harness, mine: MemoryScope, passed: Passed) -> None:
    fact = accessed_thrice(mine, passed)

    assert mine.sweep() == {}, "nothing is due within the hour"
    passed(2 * HOUR)
    assert mine.sweep()["lowered"] >= 1
    assert column(harness, fact, "tier") == "warm"
