"""A token bucket: limits requests to a burst at once and to a rate in the long run."""

from dataclasses import dataclass

from slowwave.formatting import brief


@dataclass(frozen=True, slots=True)
class Rate:
    """The rate of a bucket: *per_second* tokens are added, up to a *burst* of them."""

    per_second: float
    burst: int

    def __repr__(self) -> str:
        return brief(self, f"{self.per_second:g} a second", f"{self.burst} at once")


@dataclass(frozen=True, slots=True)
class DrawResult:
    """The tokens *granted*, the remaining *level*, and the seconds until a token is available if none was granted."""

    granted: int
    level: float
    retry_after_seconds: float = 0.0

    def __repr__(self) -> str:
        return brief(self, f"{self.granted} granted", f"{self.level:g} left")


def draw_token(rate: Rate, level: float | None, seconds: float, wanted: int = 1) -> DrawResult:
    """Return the tokens drawn from a bucket that held *level* tokens *seconds* ago; a new bucket is full.

    At most *wanted* whole tokens are granted. A clock that was set back adds none.

    >>> draw_token(Rate(2, 10), None, 0, wanted=4)
    <DrawResult: 4 granted, 6 left>
    >>> draw_token(Rate(2, 10), 0.5, 0.1).retry_after_seconds
    0.15
    """
    there = float(rate.burst) if level is None else min(rate.burst, level + max(seconds, 0.0) * rate.per_second)
    granted = min(wanted, int(there))
    left = there - granted
    return DrawResult(granted, left, 0.0 if granted else round((1 - left) / rate.per_second, 3))
