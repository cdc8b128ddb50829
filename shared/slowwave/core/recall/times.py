"""Times in a question: which days it asks about, and how near to them a memory lies."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from slowwave.core.recall.candidate import Candidate, Ranked
from slowwave.core.recall.phrases import Phrase, asks_when, phrases, tells_when
from slowwave.core.recall.scoring import Weights

SLACK = timedelta(days=7)
"""Away from the days a question names a memory counts half as much for each such step: people tell of things days
later, and say "last week" of what was ten days ago; between 3 and 14 days it makes no difference."""

OTHER_YEAR = 0.7
"""What a time that names no year counts in another year than the nearest: "in May" may be any May, and is mostly the
last one."""

NEAR = 0.5
"""The least that some memory must reach for a time to decide: where nothing was told about it, it decides nothing."""


@dataclass(frozen=True, slots=True)
class Span:
    """A time from *start* up to, not including, *end*; a *yearly* one comes again every year."""

    start: datetime
    end: datetime
    yearly: bool = False


Resolve = Callable[[str, datetime], tuple[datetime, datetime] | None]
"""From the words of a time, and when they are said, to the time they mean, its end not included."""


def spans(question: str, now: datetime, resolve: Resolve) -> list[Span]:
    """Return the times that *question* speaks of when asked at *now*, by the clock there, as far as it can be told."""
    return [span for phrase in phrases(question) if (span := _span(phrase, now, resolve)) is not None]


def nearness(candidates: Sequence[Candidate], times: Sequence[Span]) -> list[float]:
    """Return how near each memory lies to one of *times*, in [0, 1]; 0 for all where none lies near any."""
    measures = [max((_near(one, span) for span in times), default=0.0) for one in candidates]
    return measures if max(measures, default=0.0) >= NEAR else [0.0] * len(measures)


def by_time(ranked: Sequence[Ranked], question: str, times: Sequence[Span], weights: Weights) -> list[Ranked]:
    """Return *ranked* with what the *times* that *question* names say of each; where it names and asks none, as it is.

    Who asks when is answered by what tells a time.
    """
    measures: dict[str, tuple[float, list[float]]] = {}
    if weights.time and any(near := nearness([one.candidate for one in ranked], times)):
        measures["time"] = weights.time, near
    if weights.dated and asks_when(question):
        measures["dated"] = (
            weights.dated,
            [float(tells_when(one.candidate.text or one.candidate.ending)) for one in ranked],
        )
    if not measures:
        return list(ranked)
    whole = 1 + sum(weight for weight, _ in measures.values())
    return [
        Ranked(
            one.candidate,
            (one.score + sum(weight * each[number] for weight, each in measures.values())) / whole,
            {**one.reasons, **{name: each[number] for name, (_, each) in measures.items()}},
        )
        for number, one in enumerate(ranked)
    ]


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
    """The same day so many years on; of 29 February the first of March."""
    try:
        return at.replace(year=at.year + years)
    except ValueError:
        return at.replace(year=at.year + years, month=3, day=1)
