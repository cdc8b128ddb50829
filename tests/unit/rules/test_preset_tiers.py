"""The presets' ladders: how each lets memories rise and fall, in numbers."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from slowwave.core import feedback, tier_moves
from slowwave.core.decay import DecayPolicy
from slowwave.domain.standing import Standing
from slowwave.rules.lifecycle import load_preset
from tests.unit.core.standings import DAY, HOUR, MINUTE, NOON, SECOND, standing

GRAMPUS = load_preset("grampus_f3").policies.everybody.tiers
ARAGORA = load_preset("aragora_hope").policies.everybody
ACCESSES, SURPRISE, SUCCESSES = 3, 0.7, 2

# grampus_f3


def after_accesses(tier: str, *at: timedelta) -> tuple[Standing, datetime]:
    """Return a memory of *tier* accessed at these times since noon, and the time of the last."""
    times = tuple(NOON + each for each in at)
    memory = standing(tier=tier, accesses=times, access_count=len(times), last_access=times[-1], evidence=times[-1])
    return memory, times[-1]


def grampus_goes(memory: Standing, now: datetime) -> str | None:
    move = tier_moves.move(memory, GRAMPUS, DecayPolicy(), now)
    return move.to if move else None


def test_three_tiers_with_their_times() -> None:
    assert [(rung.name, rung.ttl) for rung in GRAMPUS.rungs] == [("hot", HOUR), ("warm", 7 * DAY), ("cold", None)]
    assert GRAMPUS.entry == "cold"
    assert grampus_goes(standing(tier="cold"), NOON + 10_000 * DAY) is None


def test_three_accesses_within_seven_days_make_hot() -> None:
    assert grampus_goes(*after_accesses("warm", 0 * DAY, 3 * DAY, 7 * DAY)) == "hot"
    assert grampus_goes(*after_accesses("warm", 0 * DAY, 3 * DAY, 7 * DAY + SECOND)) is None
    assert grampus_goes(*after_accesses("warm", 0 * DAY, 1 * DAY)) is None


def test_one_access_within_seven_days_makes_warm() -> None:
    memory, now = after_accesses("cold", 0 * DAY)

    assert grampus_goes(memory, now) == "warm"
    assert grampus_goes(memory, now + 7 * DAY) == "warm"
    assert grampus_goes(memory, now + 7 * DAY + SECOND) is None


def test_hot_goes_down_an_hour_after_the_last_access() -> None:
    memory = replace(after_accesses("hot", HOUR)[0], moved=NOON + HOUR)

    assert grampus_goes(memory, NOON + 2 * HOUR) is None
    assert grampus_goes(memory, NOON + 2 * HOUR + SECOND) == "warm"


def test_warm_goes_down_seven_days_after_the_last_access() -> None:
    memory = replace(after_accesses("warm", HOUR)[0], moved=NOON + HOUR)

    assert grampus_goes(memory, NOON + HOUR + 7 * DAY) is None
    assert grampus_goes(memory, NOON + HOUR + 7 * DAY + SECOND) == "cold"


# aragora_hope


def goes(memory: Standing, at: timedelta = MINUTE) -> str | None:
    move = tier_moves.move(memory, ARAGORA.tiers, ARAGORA.decay, NOON + at)
    return move.to if move else None


def used(**fields: object) -> Standing:
    """Return a memory of the slow tier that was just of use."""
    return replace(standing(tier="slow", base=0.9, last_access=NOON, evidence=NOON), **fields)  # type: ignore[arg-type]  # named by the test


def test_memories_stand_by_timescale_and_importance() -> None:
    assert [rung.name for rung in ARAGORA.tiers.rungs] == ["fast", "medium", "slow", "glacial"]
    assert [rung.importance for rung in ARAGORA.tiers.rungs] == [(0.8, 1.0), (0.5, 0.8), (0.3, 0.5), (0.0, 0.3)]
    lives = [rung.ttl for rung in ARAGORA.tiers.rungs if rung.ttl is not None]
    assert lives == sorted(lives)


@pytest.mark.parametrize(
    ("tier", "ttl_seconds", "max_items", "importance_threshold", "update_frequency"),
    [
        ("fast", 60, 1000, 0.8, "per_event"),
        ("medium", 3_600, 500, 0.5, "per_round"),
        ("slow", 86_400, 200, 0.3, "per_cycle"),
        ("glacial", 604_800, 100, 0.0, "monthly"),
    ],
)
def test_each_tier_has_its_numbers(
    tier: str, ttl_seconds: int, max_items: int, importance_threshold: float, update_frequency: str
) -> None:
    rung = ARAGORA.tiers.rung(tier)

    assert rung is not None
    assert rung.ttl == timedelta(seconds=ttl_seconds)
    assert rung.capacity == max_items
    assert rung.importance is not None
    assert rung.importance[0] == importance_threshold
    assert rung.update == update_frequency


def test_memories_go_down_from_fast_to_glacial_and_then_to_the_archive() -> None:
    memory, path = standing(tier="fast", base=0.9), ["fast"]

    for days in range(1, 20):
        if (to := goes(memory, days * DAY)) is not None:
            memory = replace(memory, tier=to, moved=NOON + days * DAY)
            path.append(to)

    assert path == ["fast", "medium", "slow", "glacial", "archive"]


def test_enough_accesses_promote() -> None:
    assert goes(used(access_count=ACCESSES)) == "medium"
    assert goes(used(access_count=ACCESSES - 1)) is None


def test_enough_surprise_promotes() -> None:
    assert goes(used(surprise=SURPRISE)) == "medium"
    assert goes(used(surprise=SURPRISE - 0.01)) is None


def test_enough_successes_promote() -> None:
    assert goes(used(successes=SUCCESSES)) == "medium"
    assert goes(used(successes=SUCCESSES - 1)) is None


@pytest.mark.parametrize(("tier", "below", "ttl_seconds"), [("fast", "medium", 60), ("medium", "slow", 3_600),
                                                          ("slow", "glacial", 86_400)])  # fmt: skip
def test_a_memory_unused_for_longer_than_the_ttl_falls(tier: str, below: str, ttl_seconds: int) -> None:
    memory = standing(tier=tier, base=1.0, created=NOON - MINUTE, last_access=NOON)

    assert goes(memory, timedelta(seconds=ttl_seconds)) is None
    assert goes(memory, timedelta(seconds=ttl_seconds) + SECOND) == below


def test_a_memory_weaker_than_the_threshold_of_its_tier_falls() -> None:
    fresh = standing(tier="medium", base=0.5, last_access=NOON + MINUTE)

    assert goes(replace(fresh, base=0.51)) is None
    assert goes(fresh) == "slow"


def test_surprise_is_usefulness_minus_prediction() -> None:
    assert feedback.surprise_of(0.9, 0.2) == pytest.approx(0.7)
    assert feedback.surprise_of(0.2, 0.9) == 0
    assert feedback.surprise_of() == 0
    assert feedback.surprise_of(useful=1.0) == feedback.surprise_of(predicted=0.0) == 0.5


def test_surprise_is_averaged_with_three_tenths_for_the_newest() -> None:
    surprise = 0.0
    for number in range(1, 5):
        surprise = feedback.averaged(surprise, 1.0)
        assert surprise == pytest.approx(1 - 0.7**number)

    assert goes(used(surprise=surprise)) == "medium"
