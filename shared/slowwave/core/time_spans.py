"""Half-open spans of valid time, and the remainder of a span when another span is cut out."""

from dataclasses import dataclass
from datetime import UTC, datetime

BEGINNING = datetime.min.replace(tzinfo=UTC)
END = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A span of time from *start* (inclusive) to *end* (exclusive). `BEGINNING` and `END` are open ends."""

    start: datetime
    end: datetime = END

    def __post_init__(self) -> None:
        if self.start >= self.end:
            raise ValueError(f"a span must start before it ends: {self.start} .. {self.end}")

    def covers(self, instant: datetime) -> bool:
        """Return whether the span contains *instant*."""
        return self.start <= instant < self.end

    def overlaps(self, other: "Span") -> bool:
        """Return whether the two spans share an instant."""
        return self.start < other.end and other.start < self.end

    def without(self, other: "Span") -> list["Span"]:
        """Return the pieces, at most two, that remain when *other* is cut out of this span."""
        if not self.overlaps(other):
            return [self]
        left = [Span(self.start, other.start)] if self.start < other.start else []
        right = [Span(other.end, self.end)] if other.end < self.end else []
        return left + right


ALWAYS = Span(BEGINNING, END)
