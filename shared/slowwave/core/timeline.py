"""Half-open spans of valid time, and what is left of one when another is carved out of it."""

from dataclasses import dataclass
from datetime import UTC, datetime

BEGINNING = datetime.min.replace(tzinfo=UTC)
END = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """From *start* up to, not including, *end*; `BEGINNING` and `END` are open ends."""

    start: datetime
    end: datetime = END

    def __post_init__(self) -> None:
        if self.start >= self.end:
            raise ValueError(f"a span must start before it ends: {self.start} .. {self.end}")

    def covers(self, instant: datetime) -> bool:
        """Return whether *instant* lies in the span."""
        return self.start <= instant < self.end

    def overlaps(self, other: "Span") -> bool:
        """Return whether the two share an instant."""
        return self.start < other.end and other.start < self.end

    def without(self, other: "Span") -> list["Span"]:
        """Return what is left of this span, none to two pieces, when *other* is carved out of it."""
        if not self.overlaps(other):
            return [self]
        left = [Span(self.start, other.start)] if self.start < other.start else []
        right = [Span(other.end, self.end)] if other.end < self.end else []
        return left + right


ALWAYS = Span(BEGINNING, END)
