"""Phrases for times: the ones in a question, and those by which a text states a time."""

import re
from dataclasses import dataclass
from functools import lru_cache

from slowwave.core.predicates.english import DAY, MONTH, MONTHS, NUMBER
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


@dataclass(frozen=True, slots=True)
class Phrase:
    """A time in a question, by phrases for its *first* and *last* week, month or year.

    A *yearly* one names no year; *day* is a day of the month, if one is named.
    """

    first: str
    last: str
    yearly: bool = False
    day: int | None = None


def phrases(question: str) -> list[Phrase]:
    """Return the times that *question* names, as phrases, in order.

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
    """Return whether *text* states a time by a date, or relative to now.

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
