"""Reploid, forgetting: curves that adapt to how a memory was used and what it was worth, not mere age of use."""

import pytest

from slowwave.rules.lifecycle import load_preset
from tests.unit.standings import DAY, NOON, standing

DECAY = load_preset("reploid_0x68").policies.everybody.decay


@pytest.mark.requirement("S1.45")
def test_a_memory_fades_the_slower_the_more_it_was_used_and_worth() -> None:
    idle, used = standing(base=0.8), standing(base=0.8, access_count=4)

    for days in (0, 1, 7, 30):
        assert DECAY.strength(idle, NOON + days * DAY) == pytest.approx(0.05 + 0.75 * 2 ** (-days / (7 * 1.2)))
        assert DECAY.strength(used, NOON + days * DAY) == pytest.approx(0.05 + 0.75 * 2 ** (-days / (7 * 1.8)))
    assert DECAY.strength(idle, NOON + 9_000 * DAY) == pytest.approx(0.05)


@pytest.mark.requirement("S1.45")
def test_what_was_used_last_is_not_what_is_kept_longest() -> None:
    often = standing(base=0.8, access_count=20, last_access=NOON + DAY)
    lately = standing(base=0.8, access_count=1, last_access=NOON + 29 * DAY)

    assert DECAY.strength(often, NOON + 30 * DAY) > DECAY.strength(lately, NOON + 30 * DAY)
