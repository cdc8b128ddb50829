"""Salience: how recently a memory was of use, how often it was confirmed, what it is worth."""

import math
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.salience import Salience, salience
from slowwave.domain.standing import Standing
from slowwave.rules.lifecycle import load_preset
from tests.unit.core.standings import DAY, HOUR, NOON, after, standing, standings

CHOSEN = load_preset("stargraph_v1").policies.everybody.scoring.salience
assert CHOSEN is not None
V1: Salience = CHOSEN


def score(memory: Standing, age: timedelta, by: Salience = V1, similarity: float = 0.0) -> float:
    return salience(memory, by, at=NOON + age, similarity=similarity)


def test_recency_times_frequency() -> None:
    assert score(standing(frequency=10), DAY) == pytest.approx(math.exp(-1) * (1 + 0.5 * math.tanh(1)))
    assert score(standing(), DAY) == pytest.approx(math.exp(-1))


def test_the_sum_of_the_weighted_parts() -> None:
    by = Salience(1.0, recency=0.5, relevance=0.3, importance=0.2)

    assert score(standing(base=0.6), 2 * DAY, by, 0.4) == pytest.approx(0.5 * math.exp(-2) + 0.3 * 0.4 + 0.2 * 0.6)


def test_recency_counts_from_the_last_access() -> None:
    old = standing(created=NOON - 90 * DAY)

    assert score(replace(old, last_access=NOON), HOUR) == score(standing(), HOUR)
    assert score(old, HOUR) < 1e-30


@pytest.mark.parametrize("tau_seconds", [3_600.0, 86_400.0, 604_800.0])
def test_it_falls_exponentially_at_its_own_pace(tau_seconds: float) -> None:
    assert V1.tau_seconds == 86_400
    for hours in (0, 1, 24, 48):
        by = replace(V1, tau_seconds=tau_seconds)
        assert score(standing(), hours * HOUR, by) == pytest.approx(math.exp(-hours * 3_600 / tau_seconds))


def test_v1_weighs_neither_relevance_nor_importance() -> None:
    assert (V1.relevance, V1.importance) == (0.0, 0.0)

    assert score(standing(base=1.0), DAY, similarity=1.0) == score(standing(base=0.1), DAY)


@given(standings(), st.floats(0, 1e9), st.floats(-1, 1), st.integers(0, 10**6), st.floats(0, 10), st.floats(0, 10))
def test_every_score_is_clamped(
    memory: Standing, age: float, similarity: float, frequency: int, relevance: float, importance: float
) -> None:
    by = Salience(1.0, relevance=relevance, importance=importance)

    assert 0 <= salience(replace(memory, frequency=frequency), by, at=after(age), similarity=similarity) <= 1


@given(standings(), st.floats(0, 1e9), st.floats(0, 1e9))
def test_scores_are_bounded_and_older_is_lower(memory: Standing, one: float, other: float) -> None:
    younger, older = (salience(memory, V1, at=after(age), similarity=0.0) for age in sorted((one, other)))

    assert 0 <= older <= younger <= 1


def test_a_brand_new_episode_has_positive_salience() -> None:
    new = Standing("episodic", "stated", "cold", 0.0, NOON)

    assert score(new, timedelta(0)) == score(new, -HOUR) == 1.0
