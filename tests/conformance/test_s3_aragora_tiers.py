"""Aragora, tiers: four timescales; what surprises or helps goes up, what fades or rests goes down."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from slowwave.core import feedback, moves
from slowwave.domain.run import SWEEP
from slowwave.domain.scope import Scope
from slowwave.domain.standing import Standing
from slowwave.rules.lifecycle import load_preset
from tests.contract.desk import Desk
from tests.contract.standings import chosen, column, now, put, run
from tests.unit.standings import DAY, HOUR, MINUTE, NOON, standing

POLICY = load_preset("aragora_hope").policies.everybody
LADDER, DECAY = POLICY.ladder, POLICY.decay
SECOND = timedelta(seconds=1)
ACCESSES, SURPRISE, SUCCESSES = 3, 0.7, 2
HALF_LIVES = {"fast": HOUR, "medium": 24 * HOUR, "slow": 168 * HOUR, "glacial": 720 * HOUR}


def goes(memory: Standing, at: timedelta = MINUTE) -> str | None:
    move = moves.move(memory, LADDER, DECAY, NOON + at)
    return move.to if move else None


@pytest.mark.requirement("S3.1")
def test_memories_stand_by_timescale_and_importance() -> None:
    assert [rung.name for rung in LADDER.rungs] == ["fast", "medium", "slow", "glacial"]
    assert [rung.importance for rung in LADDER.rungs] == [(0.8, 1.0), (0.5, 0.8), (0.3, 0.5), (0.0, 0.3)]
    lives = [rung.ttl for rung in LADDER.rungs if rung.ttl is not None]
    assert lives == sorted(lives)


@pytest.mark.requirement("S3.7")
@pytest.mark.parametrize(
    ("tier", "ttl_seconds", "max_items", "importance_threshold", "update_frequency"),
    [
        pytest.param("fast", 60, 1000, 0.8, "per_event", marks=pytest.mark.requirement("S3.2")),
        pytest.param("medium", 3_600, 500, 0.5, "per_round", marks=pytest.mark.requirement("S3.3")),
        pytest.param("slow", 86_400, 200, 0.3, "per_cycle", marks=pytest.mark.requirement("S3.4")),
        pytest.param("glacial", 604_800, 100, 0.0, "monthly", marks=pytest.mark.requirement("S3.5")),
    ],
)
def test_each_tier_has_its_numbers(
    tier: str, ttl_seconds: int, max_items: int, importance_threshold: float, update_frequency: str
) -> None:
    rung = LADDER.rung(tier)

    assert rung is not None
    assert rung.ttl == timedelta(seconds=ttl_seconds)
    assert rung.capacity == max_items
    assert rung.importance is not None
    assert rung.importance[0] == importance_threshold
    assert rung.update == update_frequency


@pytest.mark.requirement("S3.6")
def test_memories_go_down_from_fast_to_glacial_and_then_to_the_archive() -> None:
    memory, path = standing(tier="fast", base=0.9), ["fast"]

    for days in range(1, 20):
        if (to := goes(memory, days * DAY)) is not None:
            memory = replace(memory, tier=to, moved=NOON + days * DAY)
            path.append(to)

    assert path == ["fast", "medium", "slow", "glacial", "archive"]


def used(**fields: object) -> Standing:
    """Return a memory of the slow tier that was just of use."""
    return replace(standing(tier="slow", base=0.9, last_access=NOON, evidence=NOON), **fields)  # type: ignore[arg-type]  # named by the test


@pytest.mark.requirement("S3.12")
def test_enough_accesses_promote() -> None:
    assert goes(used(access_count=ACCESSES)) == "medium"
    assert goes(used(access_count=ACCESSES - 1)) is None


@pytest.mark.requirement("S3.13")
def test_enough_surprise_promotes() -> None:
    assert goes(used(surprise=SURPRISE)) == "medium"
    assert goes(used(surprise=SURPRISE - 0.01)) is None


@pytest.mark.requirement("S3.14")
def test_enough_successes_promote() -> None:
    assert goes(used(successes=SUCCESSES)) == "medium"
    assert goes(used(successes=SUCCESSES - 1)) is None


@pytest.mark.requirement("S3.15")
@pytest.mark.parametrize(("tier", "below", "ttl_seconds"), [("fast", "medium", 60), ("medium", "slow", 3_600),
                                                          ("slow", "glacial", 86_400)])  # fmt: skip
def test_what_rests_longer_than_the_ttl_goes_down(tier: str, below: str, ttl_seconds: int) -> None:
    memory = standing(tier=tier, base=1.0, created=NOON - MINUTE, last_access=NOON)

    assert goes(memory, timedelta(seconds=ttl_seconds)) is None
    assert goes(memory, timedelta(seconds=ttl_seconds) + SECOND) == below


@pytest.mark.requirement("S3.16")
def test_what_has_faded_below_the_threshold_of_its_tier_goes_down() -> None:
    fresh = standing(tier="medium", base=0.5, last_access=NOON + MINUTE)

    assert goes(replace(fresh, base=0.51)) is None
    assert goes(fresh) == "slow"


@pytest.mark.requirement("S3.17")
@pytest.mark.parametrize("tier", list(HALF_LIVES))
def test_importance_halves_with_age_since_creation_at_the_pace_of_the_tier(tier: str) -> None:
    for hours in (0, 1, 24, 100):
        memory = standing(tier=tier, base=0.9, last_access=NOON + hours * HOUR)
        expected = 0.9 * 0.5 ** (hours * HOUR / HALF_LIVES[tier])
        assert DECAY.strength(memory, NOON + hours * HOUR) == pytest.approx(expected, rel=1e-12)


@pytest.mark.requirement("S3.18")
def test_surprise_is_usefulness_beyond_what_was_predicted() -> None:
    assert feedback.surprise_of(0.9, 0.2) == pytest.approx(0.7)
    assert feedback.surprise_of(0.2, 0.9) == 0
    assert feedback.surprise_of() == 0
    assert feedback.surprise_of(useful=1.0) == feedback.surprise_of(predicted=0.0) == 0.5


@pytest.mark.requirement("S3.19")
def test_surprise_is_averaged_with_three_tenths_for_the_newest() -> None:
    surprise = 0.0
    for number in range(1, 5):
        surprise = feedback.averaged(surprise, 1.0)
        assert surprise == pytest.approx(1 - 0.7**number)

    assert goes(used(surprise=surprise)) == "medium"


@pytest.mark.requirement("S3.20", "S3.22")
def test_a_consolidation_moves_candidates_one_tier_up_and_says_how_many(desk: Desk, scope: Scope) -> None:
    chosen(desk, "aragora_hope")
    today = now(desk)
    evidence: dict[str, Any] = {"evidence": today, "last_access": today, "successes": SUCCESSES, "sweep_due": today}
    memories = {tier: put(desk, scope, tier=tier, base=0.95, **evidence) for tier in ("glacial", "slow", "medium")}

    counts = run(desk, SWEEP)

    assert {tier: column(desk, memory, "tier") for tier, memory in memories.items()} == {
        "glacial": "slow",
        "slow": "medium",
        "medium": "fast",
    }
    assert counts["raised"] == 3


@pytest.mark.requirement("S3.21", "S3.22")
def test_a_tier_with_too_many_is_summed_up_and_evicted(desk: Desk, scope: Scope) -> None:
    chosen(desk, "aragora_hope")
    desk.told(scope, 3)
    desk.drain()
    facts = [fact for (fact,) in desk.rows("SELECT memory FROM standing WHERE kind = 'semantic'")]
    desk.rows("UPDATE standing SET base = 0.35, sweep_due = slowwave_now() WHERE kind = 'semantic'")
    for _ in range(197):
        put(desk, scope, tier="slow", base=0.4)
    assert run(desk, SWEEP).get("evicted", 0) == 0

    put(desk, scope, tier="slow", base=0.4, sweep_due=now(desk))
    counts = run(desk, SWEEP)

    assert (counts["evicted"], counts["summarised"]) == (21, 1)
    assert desk.value("SELECT count(*) FROM standing WHERE tier = 'slow'") == 180 + 1
    assert {column(desk, fact, "tier") for fact in facts} == {"glacial"}
    assert desk.value("SELECT count(*) FROM delta_origins WHERE relation = 'summarises'") == 3
