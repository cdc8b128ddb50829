"""Bars of a small chart, in SVG units."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 224.0, 48.0
GAP = 4.0
LEAST = 1.5
"""The minimum height of a bar for a value above 0."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: its left and upper edge, its width and height, and its label."""

    x: float
    y: float
    width: float
    height: float
    says: str


def bars(values: Sequence[float], says: Sequence[str]) -> list[Bar]:
    """Return a bar for each of *values*; the highest bar fills the chart, and a bar of 0 has height 0.

    >>> [bar.height for bar in bars([0, 2, 4], ["none", "two", "four"])]
    [0.0, 24.0, 48.0]
    """
    most = max(values, default=0) or 1
    width = (WIDTH + GAP) / max(len(values), 1) - GAP
    heights = [max(LEAST, round(HEIGHT * value / most, 1)) if value else 0.0 for value in values]
    return [
        Bar(round(number * (width + GAP), 1), round(HEIGHT - height, 1), round(width, 1), height, says[number])
        for number, height in enumerate(heights)
    ]
