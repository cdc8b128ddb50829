"""Strength is a closed formula of stored values."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from slowwave.core.decay import DecayPolicy, DecayRule
from slowwave.domain.standing import Standing
from slowwave.rules.lifecycle import load_preset
from tests.unit.core.standings import DAY, HOUR, NOON, after, rules, standing, standings

FADING = load_preset("default").policies.everybody.decay
TIMES = st.floats(0, 1e9)


@given(rules(), standings(), TIMES)
def test_strength_lies_between_zero_and_one(rule: DecayRule, memory: Standing, age: float) -> None:
    assert 0 <= rule.strength(memory, after(age)) <= 1


@given(rules(), standings(), TIMES, TIMES)
def test_an_older_memory_is_never_stronger(rule: DecayRule, memory: Standing, one: float, other: float) -> None:
    younger, older = sorted((one, other))

    assert rule.strength(memory, after(older)) <= rule.strength(memory, after(younger))


@given(rules(), standings(), TIMES, st.integers(1, 5_000))
def test_more_accesses_never_lower_strength(rule: DecayRule, memory: Standing, age: float, more: int) -> None:
    used = replace(memory, access_count=memory.access_count + more)

    assert rule.strength(used, after(age)) >= rule.strength(memory, after(age)) - 1e-12


@given(rules(), standings(), TIMES, TIMES)
def test_a_pinned_memory_keeps_its_strength(rule: DecayRule, memory: Standing, one: float, other: float) -> None:
    pinned = replace(memory, pinned=True)
    policy = DecayPolicy((rule,))

    assert policy.strength(pinned, after(one)) == policy.strength(pinned, after(other)) == memory.base
    assert policy.due(pinned) is None


@given(rules(), standings(), st.lists(TIMES, max_size=5), TIMES)
def test_reading_strength_in_between_does_not_change_it(
    rule: DecayRule, memory: Standing, looks: list[float], age: float
) -> None:
    policy = DecayPolicy((rule,))
    alone = policy.strength(memory, after(age))

    for look in looks:
        policy.strength(memory, after(look))

    assert policy.strength(memory, after(age)) == alone


@given(rules(), standings(), st.floats(0.001, 1))
def test_the_time_of_falling_below_a_threshold_agrees_with_strength(
    rule: DecayRule, memory: Standing, threshold: float
) -> None:
    falls = rule.falls_below(memory, threshold)

    if falls is None:
        assert rule.strength(memory, after(1e9)) >= threshold - 1e-9
    else:
        assert rule.strength(memory, falls) < threshold + 1e-9
        before = falls - timedelta(milliseconds=1)
        assume(before > NOON)
        start = {"created": NOON, "last_access": memory.used, "reinforced": memory.reinforced or NOON}[rule.anchor]
        assert before <= start or rule.strength(memory, before) >= threshold - 1e-6


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"half_life_seconds": 0.0}, "half_life: expected more than 0, got 0.0 seconds"),
        ({"shift": HOUR}, "shift: expected 0 up to the gate of 0:00:00, got 1:00:00"),
        ({"stretch": 0.9}, "stretch: expected 1 to 2, got 0.9"),
        ({"per_access": -0.1}, "per_access: expected 0 to 10, got -0.1"),
        ({"floor": 1.5}, "floor: expected 0 to 1, got 1.5"),
    ],
)
def test_an_invalid_decay_rule_reports_its_problem(fields: dict[str, float], problem: str) -> None:
    assert replace(DecayRule(60.0), **fields).problems() == [problem]  # type: ignore[arg-type]  # drawn by name


def test_a_confirmation_restarts_the_decay_of_a_guess() -> None:
    guess = standing(base=0.7, source="inferred", reinforced=NOON + 30 * DAY)

    assert FADING.strength(guess, NOON + 35 * DAY) == 0.7


def test_very_old_and_very_much_used_memories_do_not_overflow() -> None:
    rule = DecayRule(1.0, stretch=2.0, per_access=10, per_importance=10, freshness=0.1)
    used = standing(access_count=10**9)

    assert 0 <= rule.strength(used, NOON + 2_000_000 * DAY) <= 1
    assert 0 <= DecayRule(1e-3).strength(standing(), NOON + 2_000_000 * DAY) <= 1e-300
