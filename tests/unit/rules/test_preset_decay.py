"""The decay curves of the presets, in numbers."""

import math

import pytest

from slowwave.core.decay import DecayRule
from slowwave.rules.lifecycle import load_preset
from tests.unit.core.standings import DAY, HOUR, NOON, standing

REPLOID, ARAGORA = (load_preset(name).policies.everybody.decay for name in ("reploid_0x68", "aragora_hope"))


def test_a_memory_fades_the_slower_the_more_it_was_used_and_worth() -> None:
    idle, used = standing(base=0.8), standing(base=0.8, access_count=4)

    for days in (0, 1, 7, 30):
        assert REPLOID.strength(idle, NOON + days * DAY) == pytest.approx(0.05 + 0.75 * 2 ** (-days / (7 * 1.2)))
        assert REPLOID.strength(used, NOON + days * DAY) == pytest.approx(0.05 + 0.75 * 2 ** (-days / (7 * 1.8)))
    assert REPLOID.strength(idle, NOON + 9_000 * DAY) == pytest.approx(0.05)


def test_frequent_use_preserves_a_memory_longer_than_recent_use() -> None:
    often = standing(base=0.8, access_count=20, last_access=NOON + DAY)
    lately = standing(base=0.8, access_count=1, last_access=NOON + 29 * DAY)

    assert REPLOID.strength(often, NOON + 30 * DAY) > REPLOID.strength(lately, NOON + 30 * DAY)


def test_frequency_lifts_logarithmically_and_recency_by_an_inverse_exponential() -> None:
    rule = DecayRule(1.0, "last_access", familiarity=0.1, freshness=0.2)
    old = NOON + 9 * DAY

    for count in (0, 1, 10, 100):
        used = standing(base=0.0, access_count=count, last_access=NOON)
        assert rule.strength(used, old) == pytest.approx(0.1 * math.log(1 + count) + 0.2 * math.exp(-9), abs=1e-12)
    for hours in (0, 12, 24, 72):
        fresh = standing(base=0.0, last_access=NOON)
        assert rule.strength(fresh, NOON + hours * HOUR) == pytest.approx(0.2 * math.exp(-hours / 24))
