"""The presets' ladders: how each lets memories rise and fall, in numbers."""

from datetime import timedelta

import pytest

from slowwave.core import feedback
from slowwave.rules.lifecycle import load_preset
from tests.unit.core.standings import DAY, HOUR

GRAMPUS = load_preset("grampus_f3").policies.everybody.tiers
ARAGORA = load_preset("aragora_hope").policies.everybody

# grampus_f3


def test_three_tiers_with_their_times() -> None:
    assert [(rung.name, rung.ttl) for rung in GRAMPUS.rungs] == [("hot", HOUR), ("warm", 7 * DAY), ("cold", None)]
    assert GRAMPUS.entry == "cold"


# aragora_hope


def test_tiers_are_ordered_by_lifetime_and_importance() -> None:
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


def test_surprise_is_usefulness_minus_prediction() -> None:
    assert feedback.surprise_of(0.9, 0.2) == pytest.approx(0.7)
    assert feedback.surprise_of(0.2, 0.9) == 0
    assert feedback.surprise_of() == 0
    assert feedback.surprise_of(useful=1.0) == feedback.surprise_of(predicted=0.0) == 0.5
