"""Phrases of time in a text: their spans, the days that they mean, and a wording that is clear without context."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from slowwave.core.predicates.english import DAY, MONTH, NUMBER
from slowwave.rules.dates.calendar import ORDINALS, Period, in_words
from slowwave.rules.dates.direction import direction
from slowwave.rules.dates.periods import period
from slowwave.rules.regexes import QuickTest

_SHORT = "mon|tues?|wed|thu(?:rs?)?|fri|sat|sun"
_MONTH_OR_SHORT = rf"(?:{MONTH}|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?)"
_UNIT = "day|week|weekend|fortnight|month|year"
_SEASON = "spring|summer|autumn|fall|winter"
_HOLIDAY = (
    "christmas(?: eve| day)?|boxing day|new year's (?:eve|day)|halloween|valentine's day|easter(?: sunday| monday)?"
    "|good friday"
)
_NUMBER = rf"a couple of|a few|an?|{NUMBER}|\d{{1,3}}"
_NTH, _YEAR = r"\d{1,2}(?:st|nd|rd|th)", r"(?:19|20)\d\d\b"
_TO = r"\d{1,2}(?:st|nd|rd|th)?(?: (?:to|until|till|through) | ?[-–] ?)(?:the )?\d{1,2}(?:st|nd|rd|th)?"
"""A range of days of one month, such as `3 to 10`."""
_WEEKDAY = rf"(?:(?:{DAY}|(?:{_SHORT})\.?),? )?"
_IN_YEAR = rf"(?:,? (?:of )?(?:{_YEAR}|(?:last|this|next) year\b))?"
_PHRASE = re.compile(
    r"\b(?=\w)(?<!every )(?<!each )(?<![-/.\d\u2013])"
    r"(?:(?P<lead>as of|since|until|till|by|from|before|after|to|through|for|on|in|at|over|during|between|and|of|is"
    r"|was) )?"
    r"(?P<part>(?:the )?(?:very )?(?:end|beginning|start|middle) of |early |late |mid[- ])?(?P<the>the )?(?:"
    r"(?P<named>yesterday(?: morning| afternoon| evening| night)?|today|tonight"
    r"|tomorrow(?: morning| afternoon| night| evening)?"
    r"|last night|this (?:morning|afternoon|evening)|day (?:before yesterday|after tomorrow)|night before last)"
    rf"|(?P<away>(?:week|weekend|month|year|{DAY}) (?:before last|after next)|(?:{DAY}|today|tomorrow) week"
    rf"|(?:{_NUMBER}) (?:week|fortnight)s? (?:from|on) (?:{DAY}|today|tomorrow)|(?:{_NUMBER}) (?:{_UNIT})s? from now)"
    rf"|(?P<step>(?:this|next|last) month,? on (?:the )?{_NTH}|(?:this past|this coming|last|this|next|past|coming) "
    rf"(?:week|weekend|fortnight|month|year|{DAY}|{_SHORT}|{MONTH}"
    rf"|{_SEASON}|quarter|{_HOLIDAY})(?=\W|$)(?! of (?:the|each|every)))"
    rf"|(?P<ago>(?:about |around |almost |just |over )?(?:{_NUMBER}) (?:{_UNIT})s? ago)"
    rf"|(?P<ahead>(?:about |around )?(?:{_NUMBER}) (?:{_UNIT})s?)"
    rf"|(?P<vague>other (?:day|night|week)|last few (?:{_UNIT})s|(?:not )?(?:(?:so|too|that|very) )?"
    r"(?:a )?long (?:time )?ago"
    r"|(?:a )?(?:long )?(?:while|time) (?:ago|back)|ages ago"
    rf"|(?:some|many|several) (?:{_UNIT})s ago|(?:a few|a couple) (?:{_UNIT})s back)"
    rf"|(?P<days>{_TO}(?: of)? {_MONTH_OR_SHORT}{_IN_YEAR}|{_MONTH_OR_SHORT} (?:the )?{_TO}{_IN_YEAR}(?![:\d]))"
    rf"|(?P<date>{_WEEKDAY}{_MONTH_OR_SHORT} (?:the )?(?:{_NTH}|\d{{1,2}}\b){_IN_YEAR}(?![:\d\u2013-])"
    rf"|{_WEEKDAY}(?:the )?(?:{_NTH}|\d{{1,2}})(?: of)? {_MONTH_OR_SHORT}{_IN_YEAR}|{_YEAR}-\d\d-\d\d"
    rf"|(?:{DAY}),? (?:the )?{_NTH}(?=$|[.,;!?]| (?:at|and|or|with|in|from|for|so|but)\b)"
    rf"|(?:{'|'.join(ORDINALS)}) of (?:{MONTH}){_IN_YEAR})"
    rf"|(?P<dated>(?:{MONTH}|{_SEASON}|{_HOLIDAY}),? (?:of )?(?:{_YEAR}|(?:last|this|next) year\b))"
    rf"|(?P<quarter>q[1-4]{_IN_YEAR})|(?P<month>{MONTH})|(?P<season>{_SEASON})|(?P<holiday>{_HOLIDAY})"
    rf"|(?P<year>{_YEAR})"
    rf"|(?P<nth>{_NTH}(?: of (?:this|next|last) month)?)|(?P<weekend>weekend)|(?P<day>{DAY})"
    r"|(?P<whole>month|year|week)"
    r")(?: morning| afternoon| evening| night)?\b(?! (?:morning|afternoon|evening|night)s\b)",
    re.IGNORECASE,
)
_PHRASES = QuickTest(_PHRASE)
_LIMITS = frozenset(["as of", "since", "until", "till", "by", "before", "after"])
_ANY = _LIMITS | {"from", "on", "in", "over", "during"}
_LEADS = {
    "ahead": {"in"},
    "month": _LIMITS | {"in", "for", "from", "to", "during"},
    "season": _LIMITS | {"in", "over", "during"},
    "holiday": _LIMITS | {"at", "for", "over", "on", "during"},
    "year": _LIMITS | {"in"},
    "nth": _LIMITS | {"on", "from", "to", "for", "is", "between", "and", "through"},
    "weekend": _LIMITS | {"over", "at", "on", "for", "during"},
    "day": _LIMITS | {"on", "for", "is", "to", "from"},
    "whole": frozenset[str](),
}
"""The words of which one must precede a time of each kind. A word for a part is also enough: `the end of March`."""
_NOT_AFTER = re.compile(
    r" (?!(?:and|or|to|at|in|for|with|till|until|so|because|but|by|through|if|when|i|we|my)\b)\w", re.I
)
_TO_DAY = re.compile(rf" (?:to|until|till|through) (?:{DAY})\b", re.IGNORECASE)
_FROM_DAY = re.compile(rf"\b(?:{DAY}) to $", re.IGNORECASE)
_WEEKLY = re.compile(
    r"\b(?<!next )(?<!last )(?<!first )(?!(?:the|this|that|my|our|your|big|last|first|next|final|opening|closing|launch"
    r"|release|election|results?|wedding|mov(?:e|ing)|exams?|tests?|graduation|travel|departure|arrival|due|delivery"
    r"|court|surgery|operation|race|match|game|interview|show|open|sports|strike) )\w+ day(?: off)?(?: is| was)? $"
    r"|(?<!next )\bday off(?: is| was)? $",
    re.IGNORECASE,
)
"""A weekly event before its day: `gym day is Monday`. A wedding day is not weekly."""
_LET_GO = ("on", "in", "over", "during", "at")
"""Words before a time that are replaced together with the time. Other words before a time belong to the sentence."""


@dataclass(frozen=True, slots=True)
class Dated:
    """A phrase of a text, with its span, its replacement, and the days that it means, if they are known."""

    start: int
    end: int
    words: str
    period: Period | None


def dated(text: str, stated_at: datetime) -> Iterator[Dated]:
    """Return the phrases of *text* that mean a time, in order. The text was said at *stated_at*.

    Verbs decide whether a phrase means the past or the future.

    A phrase that cannot be resolved ("the other day") is replaced by an empty text. Ambiguous phrases are skipped.
    """
    if not _PHRASES.in_(text):
        return
    found = [(one, kind) for one in _PHRASES.finditer(text) if (kind := _kind(one, text))]
    joined = False
    begun: Period | None = None
    for at, (one, kind) in enumerate(found):
        if joined:
            joined = False
            continue
        if at + 1 < len(found) and (range_ := _range(one, found[at + 1][0], text, stated_at)):
            joined = True
            yield range_
        elif times := _period(one, kind, text, stated_at):
            if begun and times.first < begun.first and (one["lead"] or "").lower() in ("to", "until", "till"):
                times = _period(one, kind, text, begun.end) or times  # from June to March: the March of the next year
            lead = _lead(one, kind)
            begun = times if lead == "from" else None
            start = one.start() if lead == (one["lead"] or "").lower() else one.end("lead") + 1
            yield Dated(start, one.end(), _wording(one, kind, lead, times), times)
        elif kind in ("vague", "ago", "step", "away"):
            start = one.end("lead") + 1 if (one["lead"] or "").lower() == "to" else one.start()
            yield Dated(start, one.end(), "", None)  # "the fair I went to some years ago"


def _kind(found: re.Match[str], text: str) -> str | None:
    """Return the kind of the time in *found*; None if the words around it show that it is not a time."""
    kind = found.lastgroup or ""
    lead = (found["lead"] or "").lower()
    if not found["part"] and lead not in _LEADS.get(kind, (lead,)):
        return None
    if kind == "day" and lead in ("is", "was", "on") and _WEEKLY.search(text, 0, found.start()):
        return None
    if found["part"] and kind not in ("month", "dated", "season", "quarter", "year", "step", "whole", "named"):
        return None
    if kind == "day" and lead == "from" and _TO_DAY.match(text, found.end()):
        return None
    if kind == "nth" and (not found["the"] or ("of" not in found[0] and _NOT_AFTER.match(text, found.end()))):
        return None
    if kind == "days" and not _is_span(found[kind]):
        return None
    if kind == "holiday" and found.start() == found.start(kind):
        return None
    if kind in ("season", "holiday") and lead == "by" and text[: found.start()].rstrip().endswith("ed"):
        return None  # "inspired by autumn"
    return kind


def _is_span(words: str) -> bool:
    """Return whether *words* are a range of days in a capitalised month; `pages 3 to 10 may help` is not a range."""
    first, last, *_ = map(int, re.findall(r"\d+", words))
    return first < last < 32 and words != words.lower()


def _period(found: re.Match[str], kind: str, text: str, stated_at: datetime) -> Period | None:
    if kind == "vague":
        return None
    words = re.sub(r"^(?:about|around|almost|just|over) ", "", found[kind].lower())
    if kind == "ahead":
        return period(f"in {words}", stated_at, None)
    if words.endswith(("weekend ago", "weekends ago")):
        return None
    words = f"{found['part'].lower()}{words}" if found["part"] and kind != "named" else words
    if fixed := period(words, stated_at, None):
        return fixed
    begin, end = found.start(kind), found.end(kind)
    toward = direction(text, found.start("part") if found["part"] else begin, end)
    if (
        kind == "day"
        and (found["lead"] or "").lower() == "to"
        and (toward != "future" or _FROM_DAY.search(text, 0, begin))
    ):
        return None
    return period(words, stated_at, toward)


def _range(found: re.Match[str], other: re.Match[str], text: str, stated_at: datetime) -> Dated | None:
    """Return two phrases as one range, such as `from the 3rd to the 10th`; None if they are not a range."""
    leads = (found["lead"] or "").lower(), (other["lead"] or "").lower()
    if text[found.end() : other.start()].strip() or leads[0] not in ("from", "between"):
        return None
    if leads[1] not in ("to", "until", "till", "through", "and"):
        return None
    times = period(text[found.start() : other.end()], stated_at, direction(text, found.start(), other.end()))
    if times is None or " to " not in times.text:
        return None
    last = times.after - timedelta(1)
    words = f"{leads[0]} {in_words(times.first)} {leads[1]} {in_words(last)}"
    return Dated(found.start(), other.end(), words, times)


def _lead(found: re.Match[str], kind: str) -> str:
    """Return the word before a time, if it belongs to the time; empty for `the place we stayed at last week`."""
    lead = (found["lead"] or "").lower()
    return lead if found["part"] or lead in _LEADS.get(kind, _ANY) else ""


def _wording(found: re.Match[str], kind: str, lead: str, times: Period) -> str:
    part = (found["part"] or "").lower()
    if part and kind != "named":
        return " ".join(f"{lead} {part}{_the(times.words)}".split())
    if (lead and lead not in _LET_GO) or (not lead and kind in ("date", "dated", "days", "quarter")):
        return f"{lead} {_the(times.words)}".lstrip()
    return f"{lead or 'in'} {times.words}" if times.name else placed(times)


def placed(times: Period) -> str:
    """Return a period with its preposition, in the form that a sentence uses.

    >>> from datetime import date
    >>> placed(Period(date(2026, 4, 4), date(2026, 4, 6), "weekend of 2026-04-04"))
    'on the weekend of 4 April 2026'
    """
    if (times.after - times.first).days == 1:
        return f"on {times.words}"
    return f"on the {times.words}" if times.text.startswith("weekend") else f"in {_the(times.words)}"


def _the(words: str) -> str:
    return f"the {words}" if words.startswith("week") else words
