"""Grampus, tiers: hot for an hour, warm for a week, cold for ever; up on access, down on sweep."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from slowwave.core import moves
from slowwave.core.decay import DecayPolicy
from slowwave.domain.run import SWEEP
from slowwave.domain.scope import Scope
from slowwave.domain.standing import Standing
from slowwave.memory import Memory, MemoryScope
from slowwave.rules.lifecycle import load_preset
from tests.contract.desk import Desk
from tests.contract.standings import chosen, column, later, run, stands
from tests.unit.standings import DAY, HOUR, NOON, standing

LADDER = load_preset("grampus_f3").policies.everybody.ladder
SECOND = timedelta(seconds=1)


def after_accesses(tier: str, *at: timedelta) -> tuple[Standing, datetime]:
    """Return a memory of *tier* accessed at these times since noon, and the time of the last."""
    times = tuple(NOON + each for each in at)
    memory = standing(tier=tier, accesses=times, access_count=len(times), last_access=times[-1], evidence=times[-1])
    return memory, times[-1]


def goes(memory: Standing, now: datetime) -> str | None:
    move = moves.move(memory, LADDER, DecayPolicy(), now)
    return move.to if move else None


@pytest.mark.requirement("S0.20", "S0.21", "S0.22")
def test_three_tiers_with_their_times() -> None:
    assert [(rung.name, rung.ttl) for rung in LADDER.rungs] == [("hot", HOUR), ("warm", 7 * DAY), ("cold", None)]
    assert LADDER.entry == "cold"
    assert goes(standing(tier="cold"), NOON + 10_000 * DAY) is None


@pytest.mark.requirement("S0.20", "S0.26")
def test_three_accesses_within_seven_days_make_hot() -> None:
    assert goes(*after_accesses("warm", 0 * DAY, 3 * DAY, 7 * DAY)) == "hot"
    assert goes(*after_accesses("warm", 0 * DAY, 3 * DAY, 7 * DAY + SECOND)) is None
    assert goes(*after_accesses("warm", 0 * DAY, 1 * DAY)) is None


@pytest.mark.requirement("S0.21", "S0.25")
def test_one_access_within_seven_days_makes_warm() -> None:
    memory, now = after_accesses("cold", 0 * DAY)

    assert goes(memory, now) == "warm"
    assert goes(memory, now + 7 * DAY) == "warm"
    assert goes(memory, now + 7 * DAY + SECOND) is None


@pytest.mark.requirement("S0.27")
def test_hot_goes_down_an_hour_after_the_last_access() -> None:
    memory = replace(after_accesses("hot", HOUR)[0], moved=NOON + HOUR)

    assert goes(memory, NOON + 2 * HOUR) is None
    assert goes(memory, NOON + 2 * HOUR + SECOND) == "warm"


@pytest.mark.requirement("S0.28")
def test_warm_goes_down_seven_days_after_the_last_access() -> None:
    memory = replace(after_accesses("warm", HOUR)[0], moved=NOON + HOUR)

    assert goes(memory, NOON + HOUR + 7 * DAY) is None
    assert goes(memory, NOON + HOUR + 7 * DAY + SECOND) == "cold"


@pytest.fixture
def mine(desk: Desk, scope: Scope) -> MemoryScope:
    chosen(desk, "grampus_f3")
    desk.told(scope, 2)
    memory = Memory(desk.parts)
    memory.drain()
    return MemoryScope(memory, scope)


@pytest.mark.requirement("S0.19", "S0.23")
def test_every_record_is_tracked_and_goes_up_when_it_is_asked_for(desk: Desk, mine: MemoryScope) -> None:
    found = mine.recall("food1", limit=10)

    assert {one.kind for one in found} == {"fact", "episode"}
    for one in found:
        tracked = mine.standing(one)
        assert (tracked.access_count, tracked.tier) == (1, "warm")
    for _ in range(2):
        mine.recall("food1", limit=10)
        mine.memory.drain()
    assert {mine.standing(one).tier for one in found} == {"hot"}
    desk.parts.accesses.close()


@pytest.mark.requirement("S0.22", "S0.24")
def test_a_sweep_clears_what_is_hot_from_the_session_before(desk: Desk, mine: MemoryScope) -> None:
    fact = next(one for one in mine.recall("food1", limit=10) if one.kind == "fact")
    assert mine.standing(fact).tier == "warm"
    for _ in range(2):
        mine.recall("food1", limit=10)
        mine.memory._count()
    assert stands(desk, mine.scope, fact.id).tier == "hot"

    later(desk, minutes=59)
    run(desk, SWEEP)
    assert column(desk, fact.id, "tier") == "hot"
    later(desk, minutes=2)
    run(desk, SWEEP)

    assert column(desk, fact.id, "tier") == "warm"
    desk.parts.accesses.close()
