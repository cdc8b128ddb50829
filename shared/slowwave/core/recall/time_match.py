"""Times in a question: the days it asks about, and how near to them a memory is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from slowwave.core.recall.candidate import Candidate, Scored
from slowwave.core.recall.time_phrases import Phrase, asks_when, phrases, tells_when
from slowwave.core.recall.weights import Weights

SLACK = timedelta(days=7)
"""The distance from the named days at which a memory counts half: people report events days later, and say "last week"
of ten days ago; any value from 3 to 14 days gives the same results."""

OTHER_YEAR = 0.7
"""The weight of a time without a year in any but the nearest year: "in May" is mostly the last May."""

NEAR = 0.5
"""The least nearness that some memory must reach for a time to count; otherwise nothing was said about that time."""


@dataclass(frozen=True, slots=True)
class Span:
    """A time from *start* (inclusive) to *end* (exclusive); a *yearly* one recurs every year."""

    start: datetime
    end: datetime
    yearly: bool = False


Resolve = Callable[[str, datetime], tuple[datetime, datetime] | None]
"""A function from the words for a time, and when they are said, to the start and exclusive end of that time."""


def spans(question: str, now: datetime, resolve: Resolve) -> list[Span]:
    """Return the times that *question*, asked at the local time *now*, names, if they can be resolved."""
    return [span for phrase in phrases(question) if (span := _span(phrase, now, resolve)) is not None]


def nearness(candidates: Sequence[Candidate], times: Sequence[Span]) -> list[float]:
    """Return the nearness of each memory to one of *times*, in [0, 1]; 0 for all if none is near."""
    measures = [max((_near(one, span) for span in times), default=0.0) for one in candidates]
    return measures if max(measures, default=0.0) >= NEAR else [0.0] * len(measures)


def by_time(scored: Scored, question: str, times: Sequence[Span], weights: Weights) -> Scored:
    """Return *scored* with scores adjusted to the *times* that *question* names or asks for; otherwise unchanged.

    A question for a time is answered by memories that state one.
    """
    measures: dict[str, tuple[float, list[float]]] = {}
    if weights.time and times and any(near := nearness(scored.candidates, times)):
        measures["time"] = weights.time, near
    if weights.dated and asks_when(question):
        measures["dated"] = (
            weights.dated,
            [float(tells_when(one.text or one.ending)) for one in scored.candidates],
        )
    if not measures:
        return scored
    whole = 1 + sum(weight for weight, _ in measures.values())
    added = sum(weight * np.array(each) for weight, each in measures.values())
    return scored.then((scored.scores + added) / whole, {name: each for name, (_, each) in measures.items()})


def _span(phrase: Phrase, now: datetime, resolve: Resolve) -> Span | None:
    first = resolve(phrase.first, now)
    last = first if phrase.last == phrase.first else resolve(phrase.last, now)
    if first is None or last is None:
        return None
    if phrase.day is not None:
        start = first[0] + timedelta(days=phrase.day - 1)
        return Span(start, start + timedelta(days=1), phrase.yearly) if first[0] <= start < first[1] else None
    return Span(first[0], last[1] if last[1] > first[0] else _years_on(last[1], 1), phrase.yearly)


def _near(one: Candidate, span: Span) -> float:
    if not span.yearly:
        return _within(one.occurred, span.start, span.end)
    years = one.occurred.year - span.start.year
    return max(
        _within(one.occurred, _years_on(span.start, by), _years_on(span.end, by)) * (1.0 if by == 0 else OTHER_YEAR)
        for by in {0, years - 1, years, years + 1}
        if 1 < span.start.year + by < 9_998
    )


def _within(at: datetime, start: datetime, end: datetime) -> float:
    away = max(start - at, at - end, timedelta(0))
    return float(0.5 ** (away / SLACK))


def _years_on(at: datetime, years: int) -> datetime:
    """The same day this many years later; 1 March for 29 February in a common year."""
    try:
        return at.replace(year=at.year + years)
    except ValueError:
        return at.replace(year=at.year + years, month=3, day=1)
