"""Reading ahead: a second process reads the next turns while this one writes what was read before."""

from slowwave.rules.ahead.near import ReadingAhead

__all__ = ["ReadingAhead"]
