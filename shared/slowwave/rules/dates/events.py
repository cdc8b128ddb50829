"""The time at which a state began or ended, from the words around it: `sold the Honda on Saturday`."""

import re
from datetime import datetime

import re2

from slowwave.core.predicates.english import MONTH
from slowwave.rules.dates.calendar import Period
from slowwave.rules.dates.finding import dated
from slowwave.rules.dates.periods import period

_SINCE = re2.compile(
    r"(?i)^[\w' -]{0,24}?,? ?\bsince (?:about |around |early |late |mid-)?"
    rf"((?:last )?(?:{MONTH})"
    r"(?: (?:19|20)\d\d)?|(?:19|20)\d\d|last (?:week|month|year|spring|summer|autumn|fall|winter)|yesterday)\b"
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_BEGINNING = re.compile(
    r"(?:(?:ok(?:ay)?|so|and|but|well|oh|then|also|actually|update|news|btw|yay|finally|good news|bad news)[,:!]? )*"
    r"(?:(?:back|over|early|late) )?(?:(?:on|in|at|during|over) )?(?:the )?",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"[\w' -]{0,24}?,? ?(?:on |in |at |during |over |back in |as of )?(?:the )?", re.IGNORECASE)
"""The words that may stand between a thing that ended and the time of its end."""
_CLAUSE = re.compile(r"\b(?:i|we|he|she|it|they|that|which|who|when|where|because|since|and|but|so)\b", re.IGNORECASE)
_NO_TIME = re.compile(r"\b(?:for|until|till|from|to|by|before|after|of|with|between|my|our)\b", re.IGNORECASE)
_NOT_THEN = re.compile(r"\b(?:for|until|till|from|to|by|before|after|of|between) (?:the )?$", re.IGNORECASE)
_VERB_AFTER = re.compile(r" (?:was|is|are|were|has|have|had|got|will|won't|isn't|'s)\b")
"""Words after a time that show that the time belongs to the thing: `the lesson on Monday was cancelled`."""
_AHEAD = re.compile(
    r"(?:\b(?:am|are|is)|'m|'re|'s) (?:\w+ )?\w+ing\b|\b(?:will|gonna|ends|closes|stops|expires|leaves)\b|'ll\b"
)


def begun(after: str, stated_at: datetime) -> Period | None:
    """Return the time since which a statement is true, if the words *after* the statement contain this time.

    >>> from datetime import UTC
    >>> begun(" since May", datetime(2026, 3, 4, tzinfo=UTC)).text
    '2025-05'
    """
    found = _SINCE.search(after) if " since " in after else None
    time = period(found[1], stated_at, "past") if found else None
    return time if time and time.start <= stated_at else None


def ended(text: str, begin: int, end: int, stated_at: datetime) -> tuple[Period, bool] | None:
    """Return when the thing in *text* from *begin* to *end* ended, and True if the speaker may have another one now.

    Return None if the text names no such time. The time is at the beginning of the text, or right after the name of the
    thing. A Honda that was sold in 2019 may differ from the Honda that the speaker has now. A future time counts only
    with a verb in the present tense.

    >>> from datetime import UTC
    >>> told, now = "I sold the Honda on Saturday", datetime(2026, 3, 4, tzinfo=UTC)
    >>> ended(told, 7, 16, now)[0].text, ended("I sold the Honda I had in 2019", 7, 16, now)
    ('2026-02-28', None)
    """
    for one in dated(text, stated_at):
        if one.period is None or not _is_of_event(text, begin, end, one.start, one.end):
            continue
        year = _YEAR.search(text[one.start : one.end])
        if one.period.start <= stated_at:
            return one.period, year is not None and int(year[0]) < stated_at.year
        if year or _AHEAD.search(text[: one.start]):
            return one.period, year is not None
    return None


def _is_of_event(text: str, begin: int, end: int, start: int, stop: int) -> bool:
    """Return whether the time at *start* to *stop* is in the clause that contains the thing at *begin* to *end*."""
    if _VERB_AFTER.match(text, stop):
        return False
    if start <= begin:
        return _BEGINNING.fullmatch(text[:start]) is not None
    if start < end:
        return _CLAUSE.search(text, begin, start) is None and _NOT_THEN.search(text[:start]) is None
    between = text[end:start]
    return _BESIDE.fullmatch(between) is not None and not (_CLAUSE.search(between) or _NO_TIME.search(between))
