"""A bucket of tokens: so many requests at once, and so many a second in the long run."""

from dataclasses import dataclass

from slowwave.brief import brief


@dataclass(frozen=True, slots=True)
class Rate:
    """The rate of a bucket: *per_second* tokens come back, up to a *burst* of them."""

    per_second: float
    burst: int

    def __repr__(self) -> str:
        return brief(self, f"{self.per_second:g} a second", f"{self.burst} at once")


@dataclass(frozen=True, slots=True)
class Drawn:
    """The tokens *granted*, the *level* that is left, and in how many seconds there is one where none was granted."""

    granted: int
    level: float
    retry_after_seconds: float = 0.0

    def __repr__(self) -> str:
        return brief(self, f"{self.granted} granted", f"{self.level:g} left")


def draw(rate: Rate, level: float | None, seconds: float, wanted: int = 1) -> Drawn:
    """Return what is drawn from a bucket that held *level* tokens *seconds* ago; one nobody asked before is full.

    At most *wanted* are granted, and as many as there are whole ones. A clock that went back fills nothing.

    >>> draw(Rate(2, 10), None, 0, wanted=4)
    <Drawn: 4 granted, 6 left>
    >>> draw(Rate(2, 10), 0.5, 0.1).retry_after_seconds
    0.15
    """
    there = float(rate.burst) if level is None else min(rate.burst, level + max(seconds, 0.0) * rate.per_second)
    granted = min(wanted, int(there))
    left = there - granted
    return Drawn(granted, left, 0.0 if granted else round((1 - left) / rate.per_second, 3))
