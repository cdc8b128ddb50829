"""The calendar: all occurrences of a day, month, season or holiday near a day."""

from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Literal

from slowwave.core.predicates.english import MONTHS

Direction = Literal["past", "future"]
"""The direction of a time, seen from the time when it was said."""

ORDINALS = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
    "twentieth",
    "twenty-first", "twenty-second", "twenty-third", "twenty-fourth", "twenty-fifth", "twenty-sixth", "twenty-seventh",
    "twenty-eighth", "twenty-ninth", "thirtieth", "thirty-first",
]  # fmt: skip
"""The days of a month in words, as in `the first of July`."""
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""Seasons, each with its first month in the northern hemisphere."""
HOLIDAYS = {
    "christmas eve": (12, 24), "christmas day": (12, 25), "boxing day": (12, 26), "new year's eve": (12, 31),
    "new year's day": (1, 1), "halloween": (10, 31), "valentine's day": (2, 14),
}  # fmt: skip
FEASTS = {"easter sunday": 0, "easter monday": 1, "good friday": -2}
"""Church feasts, each with its distance in days from Easter Sunday (western churches)."""
_YEARS_AROUND = 8
"""The largest distance in years to a 29 February, which is eight years around the turn of some centuries."""


@dataclass(frozen=True, slots=True)
class Period:
    """A period of whole days from *first* (inclusive) to *after* (exclusive), and the ISO text of the period.

    *name* is the name of a holiday, a season or a range, such as `Easter 2026`. *implied* is True if the speaker did
    not name the month: `the 15th`.
    """

    first: date
    after: date
    text: str
    name: str = ""
    zone: tzinfo = UTC
    implied: bool = False

    @property
    def start(self) -> datetime:
        """The instant, in UTC, at which the period begins by the speaker's clock."""
        return datetime.combine(self.first, time(), self.zone).astimezone(UTC)

    @property
    def end(self) -> datetime:
        """The instant, in UTC, at which the period is over by the speaker's clock."""
        return datetime.combine(self.after, time(), self.zone).astimezone(UTC)

    @property
    def words(self) -> str:
        """The period in words: `4 April 2026`, `week of 30 March 2026`, `April 2026`, `2026`."""
        if self.name:
            return self.name
        days, day = (self.after - self.first).days, in_words(self.first)
        if days < 8:
            return day if days == 1 else f"{'weekend' if days == 2 else 'week'} of {day}"
        return f"{MONTHS[self.first.month - 1].capitalize()} {self.first.year}" if days < 32 else str(self.first.year)


def in_words(day: date) -> str:
    """Return a day as it is written in a sentence: `4 April 2026`."""
    return f"{day.day} {MONTHS[day.month - 1].capitalize()} {day.year}"


def nearest(found: Iterator[Period], today: date, toward: Direction | None, *, apart: bool = False) -> Period | None:
    """Return the last period that has begun if *toward* is past, or the first that is not over if *toward* is future.

    Return None if there is no such period, or if *toward* is None. If *apart* is True, a period that includes *today*
    is skipped.
    """
    if toward is None:
        return None
    if toward == "past":
        past = [one for one in found if (one.after if apart else one.first) <= today]
        return past[-1] if past else None
    return next((one for one in found if (one.first if apart else one.after) > today), None)


def day(at: date) -> Period:
    """Return the period of one day."""
    return Period(at, at + timedelta(1), at.isoformat())


def days(first: date, last: date) -> Period:
    """Return the days from *first* to *last*, both included."""
    same = (first.year, first.month) == (last.year, last.month)
    name = f"{first.day if same else in_words(first)} to {in_words(last)}"
    return Period(first, last + timedelta(1), f"{first} to {last}", name)


def week(monday: date) -> Period:
    """Return the week that begins on *monday*."""
    return Period(monday, monday + timedelta(7), f"week of {monday}")


def weekend(saturday: date) -> Period:
    """Return the weekend that begins on *saturday*."""
    return Period(saturday, saturday + timedelta(2), f"weekend of {saturday}")


def month(year: int, number: int) -> Period:
    """Return a month. A *number* above 12 means a month of a later year."""
    year, number = year + (number - 1) // 12, (number - 1) % 12 + 1
    return Period(date(year, number, 1), date(year + number // 12, number % 12 + 1, 1), f"{year:04}-{number:02}")


def quarter(year: int, number: int) -> Period:
    """Return a calendar quarter. A *number* above 4 means a quarter of a later year."""
    year, number = year + (number - 1) // 4, (number - 1) % 4 + 1
    first = month(year, 3 * number - 2).first
    return Period(first, month(year, 3 * number).after, f"Q{number} {year}", f"Q{number} {year}")


def year(number: int) -> Period:
    """Return the period of one calendar year."""
    return Period(date(number, 1, 1), date(number + 1, 1, 1), f"{number:04}")


def season(name: str, number: int) -> Period:
    """Return the season of a year. A winter belongs to the year in which the winter begins."""
    begins = SEASONS[name]
    called = f"winter {number}/{(number + 1) % 100:02}" if name == "winter" else f"{name} {number}"
    return Period(month(number, begins).first, month(number, begins + 2).after, called, called)


def holiday(name: str, number: int) -> Period:
    """Return the days of a holiday in a year. Raises KeyError for a holiday whose date differs between places."""
    called = f"{' '.join(map(str.capitalize, name.split()))} {number}"
    if name == "christmas":
        return Period(date(number, 12, 24), date(number, 12, 27), called, called)
    if name == "easter":
        sunday = _easter(number)
        return Period(sunday - timedelta(2), sunday + timedelta(2), called, called)
    return day(_easter(number) + timedelta(FEASTS[name]) if name in FEASTS else date(number, *HOLIDAYS[name]))


def yearly(of: Callable[[int], Period], today: date) -> Iterator[Period]:
    """Return the result of *of* for each year around *today*, in order."""
    around = range(max(2, today.year - _YEARS_AROUND), min(9_998, today.year + _YEARS_AROUND) + 1)
    return (of(number) for number in around)


def on_days(number: int, at: int, today: date) -> Iterator[Period]:
    """Return the day *at* of the month *number*, in each year around *today* in which the day exists."""
    return (
        day(one.first.replace(day=at))
        for one in yearly(lambda which: month(which, number), today)
        if at <= monthrange(one.first.year, number)[1]
    )


def monthly(at: int, today: date, *, weekday: int | None = None) -> Iterator[Period]:
    """Return the day *at* of each month around *today* in which the day exists.

    If *weekday* is given, only days that are this weekday are returned.
    """
    for step in range(-13, 14):
        one = month(today.year, today.month + step).first
        if at <= monthrange(one.year, one.month)[1] and weekday in (None, one.replace(day=at).weekday()):
            yield replace(day(one.replace(day=at)), implied=weekday is None)


def _easter(number: int) -> date:
    """Return Easter Sunday of a year of the Gregorian calendar (the anonymous algorithm of Nature, 1876)."""
    golden, (century, rest) = number % 19, divmod(number, 100)
    corrected = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - century // 4 - corrected + 15) % 30
    sunday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    shift = (golden + 11 * epact + 22 * sunday) // 451
    at, left = divmod(epact + sunday - 7 * shift + 114, 31)
    return date(number, at, left + 1)
