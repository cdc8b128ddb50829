"""Window sizes, and the search for the faulty episode without harm to others."""

from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.windows import after_vanishing, first_window, half

POSITIONS = st.integers(0, 10_000)
SIZES = st.integers(1, 1_000)


@given(POSITIONS, POSITIONS, POSITIONS, SIZES)
def test_a_window_starts_after_the_watermark_and_is_never_too_large(
    watermark: int, new: int, suspect: int, largest: int
) -> None:
    lo, hi = first_window(watermark=watermark, suspect=suspect, head=watermark + new, largest=largest)

    assert lo == watermark + 1
    assert hi - lo + 1 <= min(new, largest)
    assert hi >= lo or new == 0


@given(POSITIONS, SIZES, st.integers(1, 1_000))
def test_windows_stay_small_until_they_pass_the_failed_episode(watermark: int, largest: int, failed: int) -> None:
    suspect = watermark + min(failed, largest)

    lo, hi = first_window(watermark=watermark, suspect=suspect, head=suspect + largest, largest=largest)

    assert lo == hi or hi - watermark <= (suspect - watermark) / 2


@given(POSITIONS, SIZES)
def test_windows_have_full_size_after_the_failed_episode(watermark: int, largest: int) -> None:
    assert first_window(watermark=watermark, suspect=watermark, head=watermark + largest, largest=largest) == (
        watermark + 1,
        watermark + largest,
    )


@given(st.integers(1, 10_000), st.integers(1, 10_000))
def test_half_of_a_window_is_smaller_and_not_empty(lo: int, more: int) -> None:
    hi = lo + more

    assert lo <= half(lo, hi) < hi
    assert half(lo, hi) - lo + 1 <= (hi - lo + 1) / 2


@pytest.mark.parametrize("size", [1, 2, 3, 6, 50, 200, 1_000])
def test_a_faulty_episode_is_isolated_after_few_failures(size: int) -> None:
    assert max(failures_until_alone(guilty, size) for guilty in range(1, size + 1)) <= ceil(log2(size)) + 1


def failures_until_alone(guilty: int, size: int) -> int:
    """Return the number of failures until the faulty episode is alone, if each failing window is halved."""
    lo, hi, failures, suspect = 1, size, 0, 0
    while (lo, hi) != (guilty, guilty):
        if guilty <= hi:
            failures, suspect, hi = failures + 1, hi, half(lo, hi)
        else:
            lo, hi = first_window(watermark=hi, suspect=suspect, head=size, largest=size)
    return failures


@given(st.integers(2, 30), SIZES, st.integers(0, 9), st.integers(0, 9), st.booleans())
def test_only_single_episodes_are_condemned(vanished: int, more: int, lo: int, strikes: int, witnessed: bool) -> None:
    assert after_vanishing(lo=lo, hi=lo + more, vanished=vanished, strikes=strikes, witnessed=witnessed) == "halve"
