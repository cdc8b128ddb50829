"""Reading ahead: a second process reads the next turns while this process writes the claims of earlier turns."""

from slowwave.rules.ahead.reading_ahead import ReadingAhead

__all__ = ["ReadingAhead"]
