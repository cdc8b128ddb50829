"""Dates in words, told from the time they were said. The host's clock is never asked."""

import re
from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from typing import Literal

_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "a couple": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_MONTHS = [
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
]  # fmt: skip
_SHORT_DAY = re.compile(r"(?<= )(mon|tues?|wed|thurs?|fri|sat|sun)$")
_STEP = re.compile(r"(last|past|next|this|coming|this coming|this past) (\w+)")
_DISTANCE = re.compile(r"(in )?([\w ]+?) (day|week|month|year)s?( ago| from now)?")
_MONTH = re.compile(rf"({'|'.join(_MONTHS)})(?:,? (\d{{4}}))?")
_DAY_OF_MONTH = re.compile(r"(\d{1,2})(?:st|nd|rd|th)")
_HOURS = re.compile(
    r"(?:\b(?:at|around|by) |(?<=\d)t|\b)(?:\d{1,2}:\d\d(?::\d\d)?z?(?: ?[ap]\.?m\.?)?|\d{1,2} ?[ap]\.?m\b\.?)(?!\S)"
    r"|\b(?:at )?(?:noon|midnight|morning|afternoon|evening)\b"
)
_BESIDE = re.compile(rf"\b(?:the|of|{'|'.join(f'{day[:3]}(?:{day[3:]})?' for day in _DAYS)})\b")
_MONTH_NAMED = rf"(?P<month>{'|'.join(f'{name}|{name[:3]}' for name in _MONTHS)}|sept)\.?"
_DAY_NUMBERED = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_WRITTEN = [
    re.compile(form)
    for form in (
        r"(?P<year>\d{4})(?P<by>[-/.])(?P<month>\d{1,2})(?P=by)(?P<day>\d{1,2})",
        r"(?P<month>\d{1,2})(?P<by>[-/.])(?P<day>\d{1,2})(?P=by)(?P<year>\d{4}|\d\d)",
        r"(?P<month>\d{1,2})[-/](?P<day>\d{1,2})(?P<year>)",
        rf"{_MONTH_NAMED} ?{_DAY_NUMBERED}(?: (?P<year>\d{{4}}|'?\d\d))?",
        rf"{_DAY_NUMBERED}[- ]?{_MONTH_NAMED}(?:[- ](?P<year>\d{{4}}|'?\d\d))?",
        rf"(?P<year>\d{{4}}) {_MONTH_NAMED} {_DAY_NUMBERED}",
    )
]
_WORDS_BEFORE = re.compile(r"^(?:on|in|at|by|since|until|till|during|from|back in|early|late|the)\s+")

Prefer = Literal["past", "future"]

LONGEST = 80
"""Characters of a date in words; reading one takes longer than its length alone would say."""


@dataclass(frozen=True, slots=True)
class Period:
    """Whole days from *first* up to, not including, *after*, and the ISO text for it."""

    first: date
    after: date
    text: str
    zone: tzinfo = UTC

    @property
    def start(self) -> datetime:
        """The first instant of it where it was said, told in UTC."""
        return datetime.combine(self.first, time(), self.zone).astimezone(UTC)

    @property
    def end(self) -> datetime:
        """The first instant after it where it was said, told in UTC."""
        return datetime.combine(self.after, time(), self.zone).astimezone(UTC)


def period(words: str, said: datetime, prefer: Prefer) -> Period | None:
    """Return the days that *words* mean when said at *said*, by the clock there; None when they cannot be told.

    >>> period("last week", datetime(2026, 3, 4, 9, tzinfo=UTC), "past").text
    'week of 2026-02-23'
    """
    words = " ".join(words.casefold().split())
    if len(words) > LONGEST:
        return None
    try:
        found = _period(words, said.date(), prefer)
    except (ValueError, OverflowError):
        return None
    return found and replace(found, zone=said.tzinfo or UTC)


def meant(words: str, said: datetime) -> tuple[datetime, datetime] | None:
    """Return the first instant that *words* mean when said at *said* of what is past, and the first one after it.

    >>> meant("last week", datetime(2026, 3, 4, 9, tzinfo=UTC))[0].isoformat()
    '2026-02-23T00:00:00+00:00'
    """
    found = period(words, said, "past")
    try:
        return None if found is None else (found.start, found.end)
    except OverflowError:  # the first of all years began before it in UTC
        return None


@lru_cache(maxsize=4_096)
def _period(words: str, today: date, prefer: Prefer) -> Period | None:
    while (shorter := _WORDS_BEFORE.sub("", words)) != words and not _DISTANCE.fullmatch(words):
        words = shorter
    words = _SHORT_DAY.sub(lambda short: next(day for day in _DAYS if day.startswith(short[1])), words)
    near = _named(words, today) or _stepped(words, today, prefer) or _distant(words, today)
    return near or _nth(words, today, prefer) or _written(words, today, prefer)


def _named(words: str, today: date) -> Period | None:
    shift = {
        "yesterday": -1, "last night": -1, "yesterday evening": -1, "yesterday morning": -1, "today": 0, "tonight": 0,
        "this morning": 0, "this afternoon": 0, "this evening": 0, "now": 0, "tomorrow": 1, "tomorrow morning": 1,
        "tomorrow night": 1, "tomorrow evening": 1, "day after tomorrow": 2, "day before yesterday": -2,
    }.get(words)  # fmt: skip
    return None if shift is None else _day(today + timedelta(shift))


def _stepped(words: str, today: date, prefer: Prefer) -> Period | None:
    if words in _DAYS:
        words = f"{'last' if prefer == 'past' else 'coming'} {words}"
    match = _STEP.fullmatch(words)
    if match is None:
        if month := _MONTH.fullmatch(words):
            return _month_named(_MONTHS.index(month[1]) + 1, month[2], today, prefer)
        if re.fullmatch(r"(?:1[89]|2[01])\d\d", words):
            return _year(int(words))
        return None
    step = {"last": -1, "past": -1, "this past": -1, "next": 1, "coming": 1, "this coming": 1, "this": 0}[match[1]]
    unit = match[2]
    monday = today - timedelta(today.weekday())
    if unit in _DAYS:
        return _day(_weekday(_DAYS.index(unit), today, step))
    if unit == "week":
        return _week(monday + timedelta(7 * step))
    if unit == "weekend":
        return _weekend(today, monday, step, prefer)
    if unit == "month":
        return _month(today.year, today.month + step)
    if unit == "year":
        return _year(today.year + step)
    if unit in _MONTHS:
        return _month_named(_MONTHS.index(unit) + 1, None, today, "future" if step > 0 else "past" if step else prefer)
    return None


def _weekday(number: int, today: date, step: int) -> date:
    """The nearest such day strictly before or after today; with `this`, the one of this week."""
    if step == 0:
        return today + timedelta(number - today.weekday())
    ahead = (number - today.weekday()) % 7 or 7
    return today + timedelta(ahead if step > 0 else ahead - 7 or -7)


def _weekend(today: date, monday: date, step: int, prefer: Prefer) -> Period:
    saturday = monday + timedelta(5 + 7 * step)
    if step == 0 and prefer == "past" and today < saturday:
        saturday -= timedelta(7)
    return Period(saturday, saturday + timedelta(2), f"weekend of {saturday}")


def _distant(words: str, today: date) -> Period | None:
    match = _DISTANCE.fullmatch(words)
    if match is None or bool(match[1]) == bool(match[4] == " ago") or not (match[1] or match[4]):
        return None
    number = _NUMBERS.get(match[2]) or (int(match[2]) if match[2].isdecimal() else 0)
    if not 0 < number < 1_000:
        return None
    number = -number if match[4] == " ago" else number
    if match[3] in ("day", "week"):
        return _day(today + timedelta(number * (7 if match[3] == "week" else 1)))
    return _month(today.year, today.month + number) if match[3] == "month" else _year(today.year + number)


def _nth(words: str, today: date, prefer: Prefer) -> Period | None:
    """A day of some month, "the 15th": the nearest behind today, or the nearest ahead."""
    if (found := _DAY_OF_MONTH.fullmatch(words)) is None or not 0 < int(found[1]) < 29:
        return None
    month = today.month + (-1 if prefer == "past" and int(found[1]) > today.day else 0)
    month += prefer == "future" and int(found[1]) < today.day
    return _day(_month(today.year, month).first.replace(day=int(found[1])))


def _written(words: str, today: date, prefer: Prefer) -> Period | None:
    """A day of the calendar as it is written in English, month first where only numbers stand; hours are let go."""
    words = " ".join(_BESIDE.sub(" ", _HOURS.sub(" ", words)).replace(",", " ").split())
    found = next(filter(None, (form.fullmatch(words) for form in _WRITTEN)), None)
    if found is None:
        return None
    said = found.groupdict()
    month = next((at for at, name in enumerate(_MONTHS, 1) if name.startswith(said["month"][:3])), 0) or int(
        said["month"]
    )
    day = int(said["day"])
    if month > 12 and said["month"].isdecimal():
        month, day = day, month
    if not (year := (said["year"] or "").lstrip("'")):
        return _nearest(range(today.year - 8, today.year + 9), month, day, today, prefer)
    if len(year) == 2:
        return _nearest(range(today.year // 100 * 100 - 100 + int(year), 10_000, 100)[:3], month, day, today, prefer)
    return _day(date(int(year), month, day))


def _nearest(years: range, month: int, day: int, today: date, prefer: Prefer) -> Period | None:
    """The day in the one of *years* that lies nearest behind today, or nearest ahead; a 29th of February is rare."""
    days = [date(year, month, day) for year in years if 0 < year < 10_000 and day <= monthrange(year, month)[1]]
    days = [at for at in days if (at <= today if prefer == "past" else at >= today)]
    return _day(max(days) if prefer == "past" else min(days)) if days else None


def _day(day: date) -> Period:
    return Period(day, day + timedelta(1), day.isoformat())


def _week(monday: date) -> Period:
    return Period(monday, monday + timedelta(7), f"week of {monday}")


def _month(year: int, month: int) -> Period:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    after = date(year + month // 12, month % 12 + 1, 1)
    return Period(date(year, month, 1), after, f"{year:04}-{month:02}")


def _month_named(month: int, year: str | None, today: date, prefer: Prefer) -> Period:
    if year:
        return _month(int(year), month)
    if prefer == "past":
        return _month(today.year - (month > today.month), month)
    return _month(today.year + (month < today.month), month)


def _year(year: int) -> Period:
    return Period(date(year, 1, 1), date(year + 1, 1, 1), f"{year:04}")
