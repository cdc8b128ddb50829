"""Dates in a sentence: each phrase that hangs on the day it was said, in words that do not."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from slowwave.rules.dates import Period, Prefer, period
from slowwave.rules.regexes import Glance

_DAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_SHORT = "mon|tues?|wed|thu(?:rs?)?|fri|sat|sun"
_MONTH = "january|february|march|april|may|june|july|august|september|october|november|december"
_UNIT = "day|week|weekend|month|year"
_NUMBER = r"a couple of|a few|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,3}"
_PHRASE = re.compile(
    rf"\b(?:(?P<before>since|until|till|by|from|before|after) |(?:on|in|over|during) )?(?:the )?(?:"
    rf"(?P<named>yesterday(?: morning| afternoon| evening| night)?|today|tonight|tomorrow(?: morning| night| evening)?"
    rf"|last night|this (?:morning|afternoon|evening)|day (?:before yesterday|after tomorrow))"
    rf"|(?P<step>(?:this past|this coming|last|this|next|past|coming) (?:{_UNIT}|{_DAY}|{_SHORT}|{_MONTH})(?=\W|$))"
    rf"|(?P<ago>(?:about |around |almost |just |over )?(?:{_NUMBER}) (?:{_UNIT})s? ago)"
    rf"|(?P<ahead>(?<=in )(?:{_NUMBER}) (?:{_UNIT})s?)"
    rf"|(?P<vague>other (?:day|night|week)|last few (?:{_UNIT})s|(?:not )?(?:(?:so|too|that|very) )?"
    r"(?:a )?long (?:time )?ago"
    r"|(?:a )?(?:long )?(?:while|time) (?:ago|back)|ages ago"
    rf"|(?:some|many|several) (?:{_UNIT})s ago|(?:a few|a couple) (?:{_UNIT})s back)"
    rf"|(?P<day>(?<=on )(?:{_DAY}))"
    rf")(?: morning| afternoon| evening| night)?\b",
    re.IGNORECASE,
)
_MAY_BE = Glance(_PHRASE.pattern)
_IN_ALL = (
    "day", "week", "month", "year", "ago", "back", "night", "morrow", "morning", "afternoon", "evening", "last ",
    "this ", "next ", "past ", "coming ",
)  # fmt: skip
"""Of these every phrase has one: most texts have none, and are told apart in a tenth of the time."""
_SHORT_DAY = re.compile(rf" ({_SHORT})$")
_DAYS = {
    "mon": "monday",
    "tue": "tuesday",
    "wed": "wednesday",
    "thu": "thursday",
    "fri": "friday",
    "sat": "saturday",
    "sun": "sunday",
}
_MONTHS = [name.capitalize() for name in _MONTH.split("|")]


@dataclass(frozen=True, slots=True)
class Dated:
    """A phrase of a sentence: where it stands, what to write there, and the days it means, as far as they are known."""

    start: int
    end: int
    words: str
    period: Period | None


def dated(text: str, said: datetime, prefer: Prefer) -> Iterator[Dated]:
    """Return the phrases of *text* that hang on when it was *said*, in order.

    What cannot be told ("the other day") is written as nothing.
    """
    low = text.lower()
    if not any(part in low for part in _IN_ALL):
        return
    for found in _PHRASE.finditer(text) if _MAY_BE.in_(text) else ():
        before = (found["before"] or "").lower()
        words = next(found[name] for name in ("named", "step", "ago", "ahead", "vague", "day") if found[name])
        times = None if found["vague"] else _period(words, found, said, prefer)
        if times is None:
            yield Dated(found.start(), found.end(), "", None)
        else:
            yield Dated(found.start(), found.end(), f"{before} {_the(bare(times))}" if before else placed(times), times)


def _period(words: str, found: re.Match[str], said: datetime, prefer: Prefer) -> Period | None:
    words = re.sub(r"^(?:about|around|almost|just|over) ", "", words.lower())
    words = re.sub(r"\b(?:afternoon|night)$", "", words).strip() if words.startswith("yesterday") else words
    words = _SHORT_DAY.sub(lambda day: f" {_DAYS[day[1][:3]]}", words)
    if found["ahead"]:
        return period(f"in {words}", said, "future")
    if words.endswith(("weekend ago", "weekends ago")):
        return None
    ahead = words.startswith(("next", "coming", "this coming", "tomorrow", "day after"))
    behind = words.startswith(("last", "past", "this past", "yesterday", "day before"))
    return period(words, said, "future" if ahead else "past" if behind else prefer)


def placed(times: Period) -> str:
    """Return a period as it stands in a sentence.

    >>> from datetime import date
    >>> placed(Period(date(2026, 4, 4), date(2026, 4, 6), "weekend of 2026-04-04"))
    'on the weekend of 4 April 2026'
    """
    days = (times.after - times.first).days
    if days == 1:
        return f"on {bare(times)}"
    return f"on the {bare(times)}" if times.text.startswith("weekend") else f"in {_the(bare(times))}"


def bare(times: Period) -> str:
    """Return a period in words: `4 April 2026`, `week of 30 March 2026`, `April 2026`, `2026`."""
    first = times.first
    day = f"{first.day} {_MONTHS[first.month - 1]} {first.year}"
    days = (times.after - first).days
    if days == 1:
        return day
    if days < 8:
        return f"{'weekend' if days == 2 else 'week'} of {day}"
    return f"{_MONTHS[first.month - 1]} {first.year}" if days < 32 else str(first.year)


def _the(words: str) -> str:
    return f"the {words}" if words.startswith("week") else words
