"""A token bucket, which limits requests to a rate in the long run, and to a burst at once."""

from dataclasses import dataclass

from slowwave.formatting import brief


@dataclass(frozen=True, slots=True)
class Rate:
    """The rate of a bucket. The bucket gets *per_second* tokens per second, and holds at most *burst* tokens."""

    per_second: float
    burst: int

    def __repr__(self) -> str:
        return brief(self, f"{self.per_second:g} a second", f"{self.burst} at once")


@dataclass(frozen=True, slots=True)
class DrawResult:
    """The tokens *granted*, and the remaining *level*.

    If no token was granted, *retry_after_seconds* is the time until the next token.
    """

    granted: int
    level: float
    retry_after_seconds: float = 0.0

    def __repr__(self) -> str:
        return brief(self, f"{self.granted} granted", f"{self.level:g} left")


def draw_token(rate: Rate, level: float | None, seconds: float, wanted: int = 1) -> DrawResult:
    """Return the tokens drawn from a bucket that held *level* tokens *seconds* ago.

    If *level* is None, the bucket is full. At most *wanted* whole tokens are granted. A clock that was set back adds no
    tokens.

    >>> draw_token(Rate(2, 10), None, 0, wanted=4)
    <DrawResult: 4 granted, 6 left>
    >>> draw_token(Rate(2, 10), 0.5, 0.1).retry_after_seconds
    0.15
    """
    there = float(rate.burst) if level is None else min(rate.burst, level + max(seconds, 0.0) * rate.per_second)
    granted = min(wanted, int(there))
    left = there - granted
    return DrawResult(granted, left, 0.0 if granted else round((1 - left) / rate.per_second, 3))
