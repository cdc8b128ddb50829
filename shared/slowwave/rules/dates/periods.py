"""The days that one phrase of time means, given the time when it was said; None for an ambiguous phrase."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from slowwave.core.predicates.english import DAY, DAYS, MONTH, MONTHS, NUMBERS
from slowwave.rules.dates import calendar
from slowwave.rules.dates.calendar import FEASTS, HOLIDAYS, ORDINALS, SEASONS, Direction, Period, nearest

LONGEST = 80
"""The maximum number of characters of a date in words. The time for parsing grows faster than the length."""

_NUMBERS = {"a": 1, "an": 1, "a couple of": 2, "a couple": 2, **NUMBERS}
_SHORT_DAY = re.compile(r"\b(mon|tues?|wed|thurs?|fri|sat|sun)\b\.?")
_MONTH_NAME = f"{MONTH}|{'|'.join(name[:3] for name in MONTHS)}|sept"
_SPELLED = re.compile(rf"\b({'|'.join(ORDINALS)}) of (?={_MONTH_NAME})")
_STEP = re.compile(r"(this coming|this past|last|past|next|this|coming) ([\w' ]+)")
_STEPS = {"last": -1, "past": -1, "this past": -1, "this": 0, "next": 1, "coming": 1, "this coming": 1}
_DISTANCE = re.compile(r"(in )?([\w ]+?) (day|week|fortnight|month|year)s?( ago| from (?:now|today))?")
_IN = re.compile(rf"in (?:{'|'.join(_NUMBERS)}|\d+) (?:day|week|fortnight|month|year)s?")
_AFTER = re.compile(
    rf"(?:([\w ]+?) (week|fortnight)s? (?:from|on) (today|tomorrow|{DAY})|(today|tomorrow|{DAY}) (week))"
)
_OVER = re.compile(rf"(day|night|week|weekend|month|year|{DAY}) (before last|after next)")
_PART = re.compile(r"(?:very )?(end|beginning|start|middle|early|mid|late)(?: of|-| )(?: ?the)? ?([\w' ]+)")
_PARTS = {"early": (1, 10), "beginning": (1, 10), "start": (1, 10), "mid": (11, 20), "middle": (11, 20)}
_LAST_THIRD = (21, 31)
_MONTH = re.compile(rf"({_MONTH_NAME})\.?(?: of)?(?: (\d{{4}}))?")
_YEAR = re.compile(r"(?:1[89]|2[01])\d\d")
_IN_YEAR = re.compile(
    rf"\b((?:{_MONTH_NAME}|{'|'.join(SEASONS)}|christmas|easter)\b.*?),? (?:of )?(last|this|next) year"
)
_SEASON = re.compile(rf"({'|'.join(SEASONS)})(?: of)?(?: (\d{{4}}))?")
_QUARTER = re.compile(r"(?:q([1-4])|(first|second|third|fourth) quarter)(?: of)?(?: (\d{4}))?")
_HOLIDAY = re.compile(rf"(christmas|easter|{'|'.join([*HOLIDAYS, *FEASTS])})(?: of)?(?: (\d{{4}}))?")
_MONTH_FIRST = re.compile(r"^(this|next|last) month,? on (?:the )?(\d{1,2}(?:st|nd|rd|th))$")
_DAY_OF_MONTH = re.compile(rf"(?:({DAY}),? (?:the )?)?(\d{{1,2}})(?:st|nd|rd|th)(?: of (this|next|last) month)?")
_HOURS = re.compile(
    r"(?:\b(?:at|around|by) |(?<=\d)t|\b)(?:\d{1,2}:\d\d(?::\d\d)?z?(?: ?[ap]\.?m\.?)?|\d{1,2} ?[ap]\.?m\b\.?)(?!\S)"
    r"|\bat \d{1,2}(?!\S)|\b(?:at )?(?:noon|midnight)\b|\b(?:in the )?(?:morning|afternoon|evening|night)\b"
)
_BESIDE = re.compile(rf"\b(?:the|of|{'|'.join(f'{day[:3]}(?:{day[3:]})?' for day in DAYS)})\b")
_MONTH_NAMED = rf"(?P<month>{_MONTH_NAME})\.?"
_DAY_NUMBERED = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_WRITTEN = [
    re.compile(form)
    for form in (
        r"(?P<year>\d{4})(?P<by>[-/.])(?P<month>\d{1,2})(?P=by)(?P<day>\d{1,2})",
        r"(?P<either>\d{1,2})(?P<by>[-/.])(?P<other>\d{1,2})(?P=by)(?P<year>\d{4}|\d\d)",
        rf"{_MONTH_NAMED} ?{_DAY_NUMBERED}(?: (?P<year>\d{{4}}|'?\d\d))?",
        rf"{_DAY_NUMBERED}[- ]?{_MONTH_NAMED}(?:[- ](?P<year>\d{{4}}|'?\d\d))?",
        rf"(?P<year>\d{{4}}) {_MONTH_NAMED} {_DAY_NUMBERED}",
    )
]
_RANGE = re.compile(r"(?:(?:from|between) )?(.+?) ?(?:\bto\b|\buntil\b|\btill\b|\bthrough\b|\band\b|-|\u2013) ?(.+)")
_BARE_DAY = re.compile(r"(?:the )?\d{1,2}(?:st|nd|rd|th)?")
_WORDS_BEFORE = re.compile(r"^(?:on|in|at|by|for|to|over|during|since|until|till|from|before|after|back in|the)\s+")
_SOUTHERN = timedelta(hours=9, minutes=30)
"""The offset from UTC from which English-speaking regions have summer in December."""


def period(words: str, stated_at: datetime, toward: Direction | None) -> Period | None:
    """Return the days that *words* mean when said at *stated_at*, by the speaker's clock; None if *words* are unclear.

    A recurring time, such as a Friday or a March, means the nearest one in the direction *toward*. If *toward* is None,
    a recurring time is unclear.

    >>> period("last week", datetime(2026, 3, 4, 9, tzinfo=UTC), None).text
    'week of 2026-02-23'
    """
    words = " ".join(words.casefold().replace("\u2019", "'").split())
    if len(words) > LONGEST:
        return None
    southern = (stated_at.utcoffset() or timedelta()) >= _SOUTHERN
    try:
        found = _period(words, stated_at.date(), toward, southern)
    except (ValueError, OverflowError):
        return None
    return found and replace(found, zone=stated_at.tzinfo or UTC)


def meant(words: str, stated_at: datetime) -> tuple[datetime, datetime] | None:
    """Return the start and the end (exclusive) of the past time that *words* mean at *stated_at*, or None if unclear.

    >>> meant("last week", datetime(2026, 3, 4, 9, tzinfo=UTC))[0].isoformat()
    '2026-02-23T00:00:00+00:00'
    """
    found = period(words, stated_at, "past")
    try:
        return None if found is None else (found.start, found.end)
    except OverflowError:  # year 1 may begin before datetime.min in UTC
        return None


@lru_cache(maxsize=4_096)
def _period(words: str, today: date, toward: Direction | None, southern: bool) -> Period | None:
    found = _range(words, today, toward) or _one(words, today, toward)
    if found is None and (shorter := " ".join(_HOURS.sub(" ", words).split())) != words:
        found = _one(shorter, today, toward)
    seasonal = found is not None and found.name.startswith(tuple(SEASONS))
    return None if southern and seasonal else found


def _one(words: str, today: date, toward: Direction | None) -> Period | None:
    while (shorter := _WORDS_BEFORE.sub("", words)) != words and not _IN.fullmatch(words):
        words = shorter
    words = _SHORT_DAY.sub(lambda short: next(day for day in DAYS if day.startswith(short[1])), words)
    words = _SPELLED.sub(lambda spelled: f"{ORDINALS.index(spelled[1]) + 1} ", words)
    words = _IN_YEAR.sub(lambda named: f"{named[1]} {today.year + _STEPS[named[2]]}", words)
    near = _named(words, today) or _stepped(words, today, toward) or _distant(words, today)
    near = near or _again(words, today, toward, apart=words in DAYS) or _part(words, today, toward)
    return near or _nth(words, today, toward) or _written(words, today, toward)


def _named(words: str, today: date) -> Period | None:
    shift = {
        "yesterday": -1, "last night": -1, "last evening": -1, "yesterday evening": -1, "yesterday morning": -1,
        "yesterday afternoon": -1, "yesterday night": -1, "today": 0, "tonight": 0, "this morning": 0,
        "this afternoon": 0, "this evening": 0, "now": 0, "tomorrow": 1, "tomorrow morning": 1, "tomorrow afternoon": 1,
        "tomorrow night": 1, "tomorrow evening": 1, "day after tomorrow": 2, "day before yesterday": -2,
        "night before last": -2,
    }.get(words)  # fmt: skip
    return None if shift is None else calendar.day(today + timedelta(shift))


def _stepped(words: str, today: date, toward: Direction | None) -> Period | None:
    """Return the time for `last week`, `this Friday` or `next March`: the last, the current or the next one."""
    if (over := _OVER.fullmatch(words)) is not None:
        return _two_away(over[1], 1 if over[2] == "after next" else -1, today, toward)
    if words in ("week", "month", "year", "quarter") and toward == "future":
        words = f"this {words}"  # "by the end of the month"
    match = _STEP.fullmatch(words)
    if match is None:
        return None
    step, unit = _STEPS[match[1]], match[2]
    if unit == "weekend" and match[1] == "next":
        return calendar.weekend(today + timedelta(12 - today.weekday()))
    if unit in ("week", "month", "quarter", "year"):
        if words == "this week" and today.weekday() == 6 and toward is None:
            return None
        ahead = timedelta(1) if unit == "week" and step == 0 and toward == "future" else timedelta()
        return _counted(unit, step, today + ahead)  # said on a Sunday about the future, "this week" begins tomorrow
    return _again(unit, today, toward if step == 0 else "future" if step > 0 else "past", apart=step != 0)


def _counted(unit: str, step: int, today: date) -> Period:
    if unit == "week":
        return calendar.week(today + timedelta(7 * step - today.weekday()))
    if unit == "month":
        return calendar.month(today.year, today.month + step)
    if unit == "quarter":
        return calendar.quarter(today.year, (today.month + 2) // 3 + step)
    return calendar.year(today.year + step)


def _two_away(unit: str, sign: int, today: date, toward: Direction | None) -> Period | None:
    if unit in ("week", "month", "year"):
        return _counted(unit, 2 * sign, today)
    near = _stepped(f"{'next' if sign > 0 else 'last'} {unit}", today, toward)
    if near is None:
        return None
    first = near.first + timedelta(7 * sign)
    return calendar.weekend(first) if unit == "weekend" else calendar.day(first)


def _distant(words: str, today: date) -> Period | None:
    if (after := _AFTER.fullmatch(words)) is not None:
        weeks = (_number(after[1]) if after[1] else 1) * (2 if after[2] == "fortnight" else 1)
        day = after[3] or after[4]
        near = _named(day, today) or _again(day, today, "future", apart=True)
        return calendar.day(near.first + timedelta(7 * weeks)) if near and weeks else None
    match = _DISTANCE.fullmatch(words)
    if match is None or bool(match[1]) == bool(match[4]):
        return None
    number = _number(match[2])
    if not 0 < number < 1_000:
        return None
    number = -number if match[4] == " ago" else number
    if length := {"day": 1, "week": 7, "fortnight": 14}.get(match[3]):
        return calendar.day(today + timedelta(number * length))
    return _counted(match[3], number, today)


def _number(words: str) -> int:
    return _NUMBERS.get(words) or (int(words) if words.isdecimal() else 0)


def _again(words: str, today: date, toward: Direction | None, *, apart: bool = False) -> Period | None:
    """Return a recurring time, such as a weekday or a month: the nearest one, unless *words* name its year."""
    if words in DAYS:
        first = today - timedelta(7 - (DAYS.index(words) - today.weekday()) % 7)
        every = (calendar.day(first + timedelta(7 * step)) for step in (-1, 0, 1, 2))
        return nearest(every, today, toward, apart=apart)
    if words == "weekend":
        saturday = today + timedelta(5 - today.weekday())
        every = (calendar.weekend(saturday + timedelta(7 * step)) for step in (-1, 0, 1))
        return nearest(every, today, toward, apart=apart)
    if _YEAR.fullmatch(words):
        return calendar.year(int(words))
    if found := _MONTH.fullmatch(words):
        number = _month(found[1])
        return _of_year(lambda year: calendar.month(year, number), found[2], today, toward, apart=apart)
    if found := _SEASON.fullmatch(words):
        name = found[1]
        return _of_year(lambda year: calendar.season(name, year), found[2], today, toward, apart=apart)
    if found := _QUARTER.fullmatch(words):
        number = int(found[1] or 1 + ["first", "second", "third", "fourth"].index(found[2]))
        return _of_year(lambda year: calendar.quarter(year, number), found[3], today, toward, apart=apart)
    if found := _HOLIDAY.fullmatch(words):
        name = found[1]
        return _of_year(lambda year: calendar.holiday(name, year), found[2], today, toward, apart=apart)
    return None


def _of_year(
    of: Callable[[int], Period], year: str | None, today: date, toward: Direction | None, *, apart: bool
) -> Period | None:
    return of(int(year)) if year else nearest(calendar.yearly(of, today), today, toward, apart=apart)


def _month(name: str) -> int:
    return next(at for at, whole in enumerate(MONTHS, 1) if whole.startswith(name[:3]))


def _part(words: str, today: date, toward: Direction | None) -> Period | None:
    """Return the whole period for words that name a part of it: January for `the end of January`."""
    if (found := _PART.fullmatch(words)) is None:
        return None
    if (month := _MONTH.fullmatch(found[2])) is None or month[2]:
        return _stepped(found[2], today, toward) or _again(found[2], today, toward)
    number, (first, last) = _month(month[1]), _PARTS.get(found[1], _LAST_THIRD)
    part = nearest(calendar.yearly(lambda year: _within(year, number, first, last), today), today, toward)
    return part and calendar.month(part.first.year, number)


def _within(year: int, number: int, first: int, last: int) -> Period:
    month = calendar.month(year, number)
    return calendar.days(
        month.first.replace(day=first),
        min(month.first.replace(day=20) + timedelta(last - 20), month.after - timedelta(1)),
    )


def _nth(words: str, today: date, toward: Direction | None) -> Period | None:
    """Return the nearest day of a month for words such as "the 15th". "Friday the 13th" must be a Friday."""
    words = _MONTH_FIRST.sub(r"\2 of \1 month", words)
    if (found := _DAY_OF_MONTH.fullmatch(words)) is None or not 0 < int(found[2]) < 32:
        return None
    number = int(found[2])
    if found[3]:
        step = _STEPS[found[3]]
        return calendar.day(calendar.month(today.year, today.month + step).first.replace(day=number))
    weekday = DAYS.index(found[1]) if found[1] else None
    return nearest(calendar.monthly(number, today, weekday=weekday), today, toward)


def _written(words: str, today: date, toward: Direction | None) -> Period | None:
    """Return a calendar date written in English. An all-numeric date must be unambiguous, like 13/4."""
    words = " ".join(_BESIDE.sub(" ", _HOURS.sub(" ", words)).replace(",", " ").split())
    found = next(filter(None, (form.fullmatch(words) for form in _WRITTEN)), None)
    if found is None:
        return None
    groups = found.groupdict()
    if groups.get("either"):
        month, number = sorted((int(groups["either"]), int(groups["other"])))
        if number < 13 and month != number:
            return None
    else:
        month = int(groups["month"]) if groups["month"].isdecimal() else _month(groups["month"])
        number = int(groups["day"])
    if not (year := (groups["year"] or "").lstrip("'")):
        return nearest(calendar.on_days(month, number, today), today, toward)
    if len(year) == 2:
        around = (int(year) + 100 * (today.year // 100 + step) for step in (-1, 0, 1))
        return nearest((calendar.day(date(each, month, number)) for each in around), today, toward or "past")
    return calendar.day(date(int(year), month, number))


def _range(words: str, today: date, toward: Direction | None) -> Period | None:
    """Return the days of a range.

    *toward* decides the last day. The first day is the nearest match before the last day.
    """
    if not any(mark.isdecimal() for mark in words) or (found := _RANGE.fullmatch(words)) is None:
        return None
    begins, ends = found[1], found[2]
    if _BARE_DAY.fullmatch(ends) and (named := re.search(rf"\b(?:{_MONTH_NAME})\b", begins)):
        ends = f"{ends} {named[0]}"
    elif _BARE_DAY.fullmatch(begins) and (named := re.search(rf"\b(?:{_MONTH_NAME})\b.*", ends)):
        begins = f"{begins} {named[0]}"
    last = _nth(ends.removeprefix("the "), today, toward) or _written(ends, today, toward)
    if last is None:
        return None
    first = _nth(begins.removeprefix("the "), last.first, "past") or _written(begins, last.first, "past")
    return calendar.days(first.first, last.first) if first and first.first < last.first else None
