"""Salience: a scorer behind a protocol; the first is recency times frequency times rule match."""

import asyncio
import math
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.salience import RuleBasedScorer, SalienceContext, SalienceScorer, Scoring, salience
from slowwave.domain.standing import Standing
from slowwave.rules.lifecycle import load_preset
from tests.unit.standings import DAY, HOUR, NOON, after, standing, standings

V1 = load_preset("stargraph_v1").policies.everybody.scoring
SCORER: SalienceScorer = RuleBasedScorer(V1)


def score(memory: Standing, context: SalienceContext, scorer: SalienceScorer = SCORER) -> float:
    return asyncio.run(scorer.score(memory, context))


def test_any_scorer_that_awaits_a_number_will_do() -> None:
    class Learned:
        async def score(self, memory: Standing, context: SalienceContext) -> float:
            await asyncio.sleep(0)
            return memory.base * context.similarity

    assert score(standing(base=0.5), SalienceContext(NOON, similarity=0.5), Learned()) == 0.25


def test_recency_times_frequency_times_rule_match() -> None:
    memory, context = standing(frequency=10), SalienceContext(NOON + DAY, matches=5)

    lift = 1 + 0.5 * math.tanh(1)
    assert score(memory, context) == pytest.approx(math.exp(-1) * lift * lift)
    assert score(standing(), SalienceContext(NOON + DAY)) == pytest.approx(math.exp(-1))


def test_the_sum_of_the_weighted_parts() -> None:
    scorer = RuleBasedScorer(Scoring(recency=0.5, relevance=0.3, importance=0.2))
    memory, context = standing(base=0.6), SalienceContext(NOON + 2 * DAY, similarity=0.4)

    assert score(memory, context, scorer) == pytest.approx(0.5 * math.exp(-2) + 0.3 * 0.4 + 0.2 * 0.6)


def test_recency_counts_from_the_last_access() -> None:
    old = standing(created=NOON - 90 * DAY)
    asked = replace(old, last_access=NOON)

    assert score(asked, SalienceContext(NOON + HOUR)) == score(standing(), SalienceContext(NOON + HOUR))
    assert score(old, SalienceContext(NOON + HOUR)) < 1e-30


@pytest.mark.parametrize("tau_seconds", [None, 3_600.0, 604_800.0])
def test_it_falls_exponentially_at_the_pace_of_the_context(tau_seconds: float | None) -> None:
    assert V1.tau_seconds == 86_400
    for hours in (0, 1, 24, 48):
        context = SalienceContext(NOON + timedelta(hours=hours), tau_seconds=tau_seconds)
        assert score(standing(), context) == pytest.approx(math.exp(-hours * 3_600 / (tau_seconds or 86_400)))


def test_v1_weighs_neither_relevance_nor_importance() -> None:
    assert (V1.relevance, V1.importance) == (0.0, 0.0)
    memory, context = standing(base=0.1), SalienceContext(NOON + DAY)

    assert score(replace(memory, base=1.0), replace(context, similarity=1.0)) == score(memory, context)


@given(standings(), st.floats(0, 1e9), st.floats(-1, 1), st.integers(0, 10**6), st.floats(0, 10), st.floats(0, 10))
def test_every_score_is_clamped(
    memory: Standing, age: float, similarity: float, matches: int, relevance: float, importance: float
) -> None:
    scorer = RuleBasedScorer(Scoring(relevance=relevance, importance=importance))
    context = SalienceContext(after(age), similarity=similarity, matches=matches, temporal="current")

    assert 0 <= score(replace(memory, frequency=matches), context, scorer) <= 1


@given(standings(), st.floats(0, 1e9), st.floats(0, 1e9))
def test_scores_are_bounded_and_older_is_lower(memory: Standing, one: float, other: float) -> None:
    younger, older = (score(memory, SalienceContext(after(age))) for age in sorted((one, other)))

    assert 0 <= older <= younger <= 1


def test_a_brand_new_episode_has_positive_salience() -> None:
    new = Standing("episodic", "stated", "cold", 0.0, NOON)

    assert score(new, SalienceContext(NOON, temporal="past")) == pytest.approx(0.7)
    assert score(new, SalienceContext(NOON - HOUR)) == 1.0


def test_frequency_and_recency_lift() -> None:
    scoring, context = Scoring(), SalienceContext(NOON + 2 * DAY)

    assert salience(standing(frequency=5), context, scoring) > salience(standing(), context, scoring)
    assert salience(standing(last_access=NOON + DAY), context, scoring) > salience(standing(), context, scoring)
