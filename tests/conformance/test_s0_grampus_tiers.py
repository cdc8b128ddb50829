"""Grampus, tiers: hot for an hour, warm for a week, cold for ever; up on access, down on sweep."""

from datetime import timedelta

import pytest

from slowwave.domain.job import SWEEP
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.answers import write_accesses
from slowwave.rules.lifecycle import load_preset
from tests.contract.desk import Desk
from tests.contract.standings import chosen, column, later, run, stands

LADDER = load_preset("grampus_f3").policies.everybody.ladder
SECOND = timedelta(seconds=1)


@pytest.fixture
def mine(desk: Desk, scope: Scope) -> MemoryScope:
    chosen(desk, "grampus_f3")
    desk.told(scope, 2)
    memory = Memory(desk.parts)
    memory.drain()
    return MemoryScope(memory.parts, scope)


@pytest.mark.requirement("S0.23")
def test_every_record_is_tracked_and_goes_up_when_it_is_asked_for(desk: Desk, mine: MemoryScope) -> None:
    found = mine.recall("food1", limit=10)

    assert {one.kind for one in found} == {"fact", "episode"}
    for one in found:
        tracked = mine.standing(one)
        assert (tracked.access_count, tracked.tier) == (1, "warm")
    for _ in range(2):
        mine.recall("food1", limit=10)
        Memory(mine.parts).drain()
    assert {mine.standing(one).tier for one in found} == {"hot"}
    desk.parts.accesses.close()


@pytest.mark.requirement("S0.27")
def test_a_sweep_clears_what_is_hot_from_the_session_before(desk: Desk, mine: MemoryScope) -> None:
    fact = next(one for one in mine.recall("food1", limit=10) if one.kind == "fact")
    assert mine.standing(fact).tier == "warm"
    for _ in range(2):
        mine.recall("food1", limit=10)
        write_accesses(mine.parts)
    assert stands(desk, mine.scope, fact.id).tier == "hot"

    later(desk, minutes=59)
    run(desk, SWEEP)
    assert column(desk, fact.id, "tier") == "hot"
    later(desk, minutes=2)
    run(desk, SWEEP)

    assert column(desk, fact.id, "tier") == "warm"
    desk.parts.accesses.close()
