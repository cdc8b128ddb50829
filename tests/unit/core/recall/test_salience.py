"""Salience by recent use, confirmations, importance and learned weights."""

import inspect
import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.salience.terms import (
    BIAS,
    FEATURES,
    OWN,
    RuleBasedScorer,
    Salience,
    SalienceContext,
    SalienceRule,
    SalientMemory,
)
from slowwave.core.salience.weight_learning import Example, learned
from slowwave.domain.standing import Standing
from slowwave.ports.recall import SalienceScorer
from slowwave.rules.lifecycle import load_preset
from tests.unit.core.standings import DAY, HOUR, NOON, after, standing, standings

CHOSEN = load_preset("stargraph_v1").policies.everybody.scoring.salience
assert CHOSEN is not None
V1: Salience = CHOSEN
V2 = Salience(1.0, "embedding", recency=0.5, relevance=0.3, importance=0.2)
V3 = Salience(1.0, "learned", learned={BIAS: -2.0, "recency": 2.5, "relevance": 3.0, "frequency": -1.0})


def judged(scorer: SalienceScorer, memory: SalientMemory, context: SalienceContext) -> float:
    """Return the score of a scorer that awaits nothing."""
    coroutine = scorer.score(memory, context)
    assert inspect.iscoroutine(coroutine)
    with pytest.raises(StopIteration) as caught:
        coroutine.send(None)
    return float(caught.value.value)


def score(memory: Standing, age: timedelta, by: Salience = V1, similarity: float = 0.0) -> float:
    context = SalienceContext(NOON + age, "where?", by.tau_seconds)
    return judged(OWN[by.by](by), SalientMemory(memory, similarity), context)


def test_salience_v1_is_recency_times_frequency_times_rule() -> None:
    by = replace(V1, rules=(SalienceRule(0.5, role="assistant"), SalienceRule(0.8, kind="semantic")))
    context = SalienceContext(NOON + DAY)
    lifted = math.exp(-1) * (1 + 0.5 * math.tanh(1))
    memory = SalientMemory(standing(frequency=10))

    assert judged(RuleBasedScorer(V1), memory, context) == pytest.approx(lifted)
    assert judged(RuleBasedScorer(by), memory, context) == pytest.approx(0.8 * lifted)
    assert judged(RuleBasedScorer(by), replace(memory, role="assistant"), context) == pytest.approx(0.5 * lifted)
    assert score(standing(), DAY) == pytest.approx(math.exp(-1))


def test_salience_v2_is_the_weighted_sum_of_its_parts() -> None:
    assert score(standing(base=0.6), 2 * DAY, V2, 0.4) == pytest.approx(0.5 * math.exp(-2) + 0.3 * 0.4 + 0.2 * 0.6)


@pytest.mark.parametrize("tau_seconds", [3_600.0, 86_400.0, 604_800.0])
def test_recency_falls_exponentially_by_tau(tau_seconds: float) -> None:
    assert SalienceContext(NOON).tau_seconds == V1.tau_seconds == 86_400
    for hours in (0, 1, 24, 48):
        by = replace(V1, tau_seconds=tau_seconds)
        assert score(standing(), hours * HOUR, by) == pytest.approx(math.exp(-hours * 3_600 / tau_seconds))


BY = st.sampled_from([V1, V2, V3, replace(V1, recency=10.0), replace(V2, relevance=10.0, importance=10.0)])
SCORED = st.floats(0, 1e9)


@given(standings(), SCORED, st.floats(-1, 1), st.integers(0, 10**6), BY)
def test_each_score_is_clamped_to_0_and_1(
    memory: Standing, age: float, similarity: float, often: int, by: Salience
) -> None:
    assert 0 <= score(replace(memory, frequency=often), timedelta(seconds=age), by, similarity) <= 1


@given(standings(), SCORED, SCORED, st.floats(0, 1), BY)
def test_no_scorer_gives_an_older_memory_a_higher_salience(
    memory: Standing, one: float, other: float, similarity: float, by: Salience
) -> None:
    younger, older = (score(memory, after(age) - NOON, by, similarity) for age in sorted((one, other)))

    assert 0 <= older <= younger <= 1


def test_a_brand_new_episode_has_positive_salience() -> None:
    new = Standing("episodic", "stated", "cold", 0.0, NOON)

    assert score(new, timedelta(0)) == score(new, -HOUR) == 1.0


def test_learned_weights_rank_helpful_memories_first() -> None:
    context = SalienceContext(NOON + DAY)

    def example(number: int) -> Example:
        helped = number % 2 == 0
        return SalientMemory(standing(base=0.9 if helped else 0.2), 0.8 if number % 3 else 0.1), context, helped

    examples: Sequence[Example] = [example(number) for number in range(60)]
    weights = learned(examples, V1)

    assert weights == learned(examples, V1)
    assert set(weights) == {BIAS, *FEATURES}
    assert weights["importance"] > abs(weights["relevance"])
    by = replace(V3, learned=weights)
    kept, lost = (score(standing(base=base), DAY, by, 0.4) for base in (0.9, 0.2))
    assert kept > 0.5 > lost


def test_a_learned_recency_weight_is_never_negative() -> None:
    late, long_ago = (SalientMemory(standing(last_access=NOON - age)) for age in (HOUR, 9 * DAY))
    examples: Sequence[Example] = [(late, SalienceContext(NOON), False), (long_ago, SalienceContext(NOON), True)] * 20

    assert learned(examples, V1)["recency"] == 0
    with pytest.raises(ValueError, match="helped, and from others"):
        learned(examples[:1], V1)
