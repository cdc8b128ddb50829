"""Times in a question: the phrases for times, the days that the question asks about, and the nearness of memories to
these days.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

import numpy as np

from slowwave.core.predicates.english import DAY, MONTH, MONTHS, NUMBER
from slowwave.core.recall.candidate import Candidate
from slowwave.core.recall.scored import Scored
from slowwave.core.recall.scoring import Weights
from slowwave.core.recall.synonyms import REMEMBERED

_MONTHS = dict(enumerate(MONTHS, 1))
_UNIT = "week|weekend|month|year"
_COUNT = rf"a couple of|an?|{NUMBER}|\d{{1,3}}"
_NTH = r"\d{1,2}(?:st|nd|rd|th)?"
_SEASONS = {
    "spring": ("march", "may"),
    "summer": ("june", "august"),
    "fall": ("september", "november"),
    "autumn": ("september", "november"),
    "winter": ("december", "february"),
}
_PHRASE = re.compile(
    rf"\b(?:(?P<iso>\d{{4}})-(?P<iso_month>\d\d)-(?P<iso_day>\d\d)"
    rf"|(?:(?P<day>{_NTH})(?: of)? (?P<of_month>{MONTH})|(?P<month_of>{MONTH}) (?P<nth>{_NTH}))\b(?!:)"
    rf"(?:(?:, ?| )(?P<in>\d{{4}})\b)?"
    rf"|(?P<month>(?:{MONTH}),? \d{{4}})"
    rf"|(?:(?P<which>last|this|in|in the|during the|of) )?(?P<season>{'|'.join(_SEASONS)})"
    r"(?:,?(?: of)? (?P<of>\d{4}))?"
    rf"|(?:in|during|of|since|by|until|before|after) (?P<yearly>{MONTH})(?!,? ?\d)"
    rf"|(?P<near>yesterday|today|tonight|this (?:morning|afternoon|evening)|last night|day before yesterday"
    rf"|(?:last|this|past) (?:{_UNIT}|{DAY}|{MONTH})|(?:{_COUNT}) (?:day|week|month|year)s? ago)"
    rf"|on (?P<on>{DAY})"
    rf"|(?P<year>(?:19|20)\d\d))\b",
    re.IGNORECASE,
)
_WHEN = re.compile(r"^\W*when\b|\b(?:what|which) (?:date|day|week|month|year|time)\b|\bhow long\b", re.IGNORECASE)
_CARRIED = re.compile(
    rf"\b(?:yesterday|today|tonight|tomorrow|ago|recently|since|{DAY}|(?:19|20)\d\d"
    rf"|(?:last|next|this|past) (?:night|morning|{_UNIT}|spring|summer|fall|autumn|winter)"
    rf"|(?:few|other) (?:day|week|month|year)s?|{MONTH.replace('|may', '')})\b|\bin May\b",
    re.IGNORECASE,
)
SLACK = timedelta(days=7)
"""The distance from the named days at which a memory counts half. People report events days later, and may say "last
week" for ten days ago. Any value from 3 to 14 days gives the same results."""
OTHER_YEAR = 0.7
"""The weight of a time without a year, except in the nearest year. "In May" mostly means the last May."""
NEAR = 0.5
"""The least nearness that some memory must reach for a time to count. If no memory reaches it, nothing was said about
that time."""
Resolve = Callable[[str, datetime], tuple[datetime, datetime] | None]
"""A function that takes the words for a time, and the time at which they are said. It returns the start and the
exclusive end of the meant time."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A time in a question. *first* and *last* are phrases for the first and the last week, month or year of this time.

    *yearly* is True if the time names no year. *day* is the day of the month, if the time names a day.
    """

    first: str
    last: str
    yearly: bool = False
    day: int | None = None


def phrases(question: str) -> list[Phrase]:
    """Return the times that *question* names, as phrases, in the order of the question.

    >>> [(one.first, one.day) for one in phrases("What did Ann paint on May 3, 2023, and what last week?")]
    [('may 2023', 3), ('last week', None)]
    >>> [one.last for one in phrases("Where was she in summer 2021?")], phrases("May Ann march in the fallen leaves?")
    (['august 2021'], [])
    """
    return [phrase for found in _PHRASE.finditer(question) if (phrase := _phrase(found)) is not None]


def asks_when(question: str) -> bool:
    """Return whether *question* asks for a time.

    >>> asks_when("When did Ann move?"), asks_when("Which year was it?"), asks_when("What does she do when it rains?")
    (True, True, False)
    """
    return _WHEN.search(question) is not None


@lru_cache(maxsize=REMEMBERED)
def tells_when(text: str) -> bool:
    """Return whether *text* states a time, as a date or relative to the present.

    >>> tells_when("I moved two weeks ago"), tells_when("Off in May!"), tells_when("That may be")
    (True, True, False)
    """
    return _CARRIED.search(text) is not None


def _phrase(found: re.Match[str]) -> Phrase | None:
    if found["season"]:
        return _season(found["season"].lower(), (found["which"] or "").lower(), found["of"])
    if day := found["day"] or found["nth"]:
        return _day(int(re.sub(r"\D", "", day)), (found["of_month"] or found["month_of"]).lower(), found["in"])
    if found["iso"]:
        return _day(int(found["iso_day"]), _MONTHS.get(int(found["iso_month"]), ""), found["iso"])
    words = next(found[name] for name in ("month", "yearly", "near", "on", "year") if found[name])
    return Phrase(words, words, yearly=found["yearly"] is not None)


def _day(day: int, month: str, year: str | None) -> Phrase:
    words = f"{month} {year}" if year else month
    return Phrase(words, words, yearly=not year, day=day)


def _season(season: str, which: str, year: str | None) -> Phrase | None:
    first, last = _SEASONS[season]
    if year:
        return Phrase(f"{first} {year}", f"{last} {int(year) + 1 if season == 'winter' else year}")
    return Phrase(f"last {first}", f"last {last}", yearly=which != "last") if which else None


@dataclass(frozen=True, slots=True)
class Span:
    """A time from *start* (inclusive) to *end* (exclusive). If *yearly* is True, the time recurs every year."""

    start: datetime
    end: datetime
    yearly: bool = False


def spans(question: str, now: datetime, resolve: Resolve) -> list[Span]:
    """Return the times that *question* names, without those that cannot be resolved.

    *now* is the local time of the question.
    """
    return [span for phrase in phrases(question) if (span := _span(phrase, now, resolve)) is not None]


def nearness(candidates: Sequence[Candidate], times: Sequence[Span]) -> list[float]:
    """Return the nearness of each memory to the nearest of *times*, in [0, 1].

    If no memory is near enough, all values are 0.
    """
    measures = [max((_near(one, span) for span in times), default=0.0) for one in candidates]
    return measures if max(measures, default=0.0) >= NEAR else [0.0] * len(measures)


def by_time(scored: Scored, question: str, times: Sequence[Span], weights: Weights) -> Scored:
    """Return *scored*, with scores adjusted to the *times* that *question* names.

    If *question* asks for a time, memories that state a time get a higher score.
    """
    measures: dict[str, tuple[float, list[float]]] = {}
    if weights.time and times and any(near := nearness(scored.candidates.memories, times)):
        measures["time"] = weights.time, near
    if weights.dated and asks_when(question):
        measures["dated"] = (
            weights.dated,
            [float(tells_when(one.text or one.ending)) for one in scored.candidates.memories],
        )
    if not measures:
        return scored
    whole = 1 + sum(weight for weight, _ in measures.values())
    added = sum(weight * np.array(each) for weight, each in measures.values())
    return scored.then((scored.scores + added) / whole, {name: np.array(each) for name, (_, each) in measures.items()})


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
    """Return the same day *years* years later. In a common year, 29 February becomes 1 March."""
    try:
        return at.replace(year=at.year + years)
    except ValueError:
        return at.replace(year=at.year + years, month=3, day=1)
