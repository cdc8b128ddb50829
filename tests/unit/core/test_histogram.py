"""A histogram of durations: its quantiles are upper bounds, and close to the true values."""

import math

from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.histogram import LAST, SHORTEST_MS, bucket, longest, quantile

DURATIONS = st.floats(SHORTEST_MS, 900_000)


@given(DURATIONS)
def test_a_duration_lies_in_its_bucket_and_in_no_shorter_one(milliseconds: float) -> None:
    number = bucket(milliseconds)

    assert milliseconds <= longest(number) * (1 + 1e-9)
    assert number == 0 or longest(number - 1) < milliseconds * (1 + 1e-9)


@given(st.lists(DURATIONS, min_size=1, max_size=200), st.sampled_from([0.5, 0.95, 0.99, 1.0]))
def test_a_quantile_is_at_most_6_percent_too_long_and_never_too_short(durations: list[float], share: float) -> None:
    counts: dict[int, int] = {}
    for one in durations:
        counts[bucket(one)] = counts.get(bucket(one), 0) + 1

    found = quantile(counts, share)

    exact = sorted(durations)[math.ceil(share * len(durations)) - 1]
    assert found is not None
    assert exact * (1 - 1e-9) <= found <= exact * 1.0593 * (1 + 1e-9)


def test_an_empty_histogram_has_no_quantile() -> None:
    assert quantile({}, 0.5) is None


def test_a_very_long_duration_falls_into_the_last_bucket() -> None:
    assert bucket(1e12) == LAST
    assert bucket(0) == 0
