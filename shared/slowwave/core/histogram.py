"""A histogram of durations in buckets that grow by 6 %. Counts of several processes and hours can be added."""

import math
from collections.abc import Mapping

SHORTEST_MS = 0.1
PER_DECADE = 40
LAST = 7 * PER_DECADE
"""The bucket for durations above 1000 s."""


def bucket(milliseconds: float) -> int:
    """Return the number of a duration's bucket, 0 to `LAST`.

    >>> bucket(0.05), bucket(1.0), bucket(10.0)
    (0, 40, 80)
    """
    if milliseconds <= SHORTEST_MS:
        return 0
    return min(LAST, math.ceil(round(math.log10(milliseconds / SHORTEST_MS) * PER_DECADE, 9)))


def longest(number: int) -> float:
    """Return the longest duration of a bucket, in milliseconds."""
    return SHORTEST_MS * math.pow(10.0, number / PER_DECADE)


def quantile(counts: Mapping[int, int], share: float) -> float | None:
    """Return the duration that a *share* of all durations does not exceed, in milliseconds, as the end of a bucket.

    The result is at most 6 % too long, and never too short. It is None if nothing was counted.
    """
    total = sum(counts.values())
    if total == 0:
        return None
    wanted, seen = math.ceil(share * total), 0
    for number in sorted(counts):
        seen += counts[number]
        if seen >= wanted:
            return longest(number)
    return longest(max(counts))
