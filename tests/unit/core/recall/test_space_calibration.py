"""Similarities of several embedding spaces are levelled."""

from collections.abc import Sequence

import pytest

from slowwave.core.recall.calibration import levelled
from slowwave.core.recall.candidate import Candidate
from tests.unit.core.recall.test_ranking import episode


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
