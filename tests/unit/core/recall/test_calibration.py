"""Similarities of several embedding spaces are comparable."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.recall.candidate import Candidate, Ranked
from slowwave.core.recall.scoring import FROM, TO, Calibration, background, calibrated, levelled
from tests.unit.core.recall.test_ranking import episode

BY = Calibration()
SCORES = st.lists(st.floats(0, 1), max_size=80).map(lambda scores: sorted(scores, reverse=True))


def ranked(scores: list[float]) -> list[Ranked]:
    return [Ranked(episode(number), score, {}) for number, score in enumerate(scores)]


@given(SCORES)
def test_the_better_match_never_scores_less_and_the_order_stays(scores: list[float]) -> None:
    found = calibrated(ranked(scores), BY)

    assert [one.candidate.position for one in found] == list(range(len(scores)))
    assert [one.match for one in found] == scores
    assert all(0 <= one.score <= BY.most for one in found)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


@given(st.floats(0, 0.2), st.floats(0.1, 0.5))
def test_the_score_depends_on_the_distance_to_the_background_and_not_on_its_level(more: float, far: float) -> None:
    def best(chance: float) -> float:
        others = [chance] * (TO - 1)
        return calibrated(ranked([background([chance] * TO, BY) + far, *others]), BY)[0].score

    assert best(0.3) == pytest.approx(best(0.3 + more))


def test_the_background_is_estimated_from_the_weak_matches_or_the_default() -> None:
    assert background([], BY) == background([0.9] * FROM, BY) == BY.background
    assert background([0.9] * FROM + [0.2] * (TO - FROM), BY) == pytest.approx((0.2 * 30 + 0.37 * 10) / 40)
    assert background([0.9] * FROM + [0.2] * (TO - FROM) + [0.0] * 99, BY) == pytest.approx((0.2 * 30 + 0.37 * 10) / 40)


def space(*similarities: float) -> list[Candidate]:
    return [episode(position, similarity=one) for position, one in enumerate(similarities)]


def similarities(*spaces: Sequence[Candidate]) -> list[float]:
    return [one.similarity for one in levelled(spaces)]


def test_equal_ranks_of_two_spaces_get_equal_similarities() -> None:
    assert similarities(space(0.2, 0.6), space(0.9, 0.8)) == pytest.approx([0.5, 0.75, 0.75, 0.5])


def test_calibration_keeps_the_similarities_of_a_single_space() -> None:
    assert similarities(space(0.2, 0.6, 0.0), []) == pytest.approx([0.2, 0.6, 0.0])


def test_ties_stay_ties_and_zero_stays_zero() -> None:
    assert similarities(space(0.4, 0.4, 0.0), space(0.8)) == pytest.approx([0.6, 0.6, 0.0, 0.6])


def test_calibration_scales_each_space_by_its_best_similarity() -> None:
    large = space(0.9, 0.6, 0.3)
    once = similarities(large, space(0.1))

    assert once == pytest.approx([0.5, 0.5 * 0.6 / 0.9, 0.5 * 0.3 / 0.9, 0.5])
    assert similarities(space(0.1), large)[1:] == pytest.approx(once[:3])
