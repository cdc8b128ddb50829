"""Time phrases in a model's claims, resolved. The phrases are in English, or are translated from other languages."""

import re
from dataclasses import dataclass
from datetime import datetime

from slowwave.core.predicates.english import DAY, MONTH
from slowwave.core.predicates.sentences import on, until
from slowwave.domain.claim import Tense
from slowwave.domain.episode import StoredEpisode
from slowwave.rules.dates import Direction, Period, direction, is_past, period
from slowwave.word_lists import word_lists

_ENGLISH = {word: english for english, words in word_lists("times").items() for word in words}
_PHRASES = {
    "day before yesterday": ("vorgestern", "avant-hier", "anteayer"),
    "day after tomorrow": ("übermorgen", "après-demain", "pasado mañana"),
    "last week": ("la semaine dernière", "la semana pasada"),
    "last month": ("le mois dernier", "el mes pasado"),
    "last year": ("l'année dernière", "l'an dernier", "el año pasado"),
    "next week": ("la semaine prochaine", "la semana que viene", "la próxima semana"),
    "next month": ("le mois prochain", "el mes que viene", "el próximo mes"),
    "next year": ("l'année prochaine", "el año que viene", "el próximo año"),
}
_WHOLE = {phrase: english for english, phrases in _PHRASES.items() for phrase in phrases}
LEANING = re.compile(
    r"(?:\b(?:on|in|since|until|by) )?(?:\bthe )?\b(?:yesterday|today|tonight|tomorrow|right now|now|day after tomorrow"
    r"|day before yesterday|(?:last|next|this|past|coming) (?:night|week|weekend|month|year|morning|afternoon|evening"
    rf"|{DAY}|{MONTH}|summer|winter|spring|autumn|fall)"
    r"|(?:\w+ ){0,2}\w+ (?:day|week|month|year)s? (?:ago|from now)|recently|lately|earlier|currently"
    r"|(?:in |over |for )?the (?:next|coming|last|past) (?:few |couple of |\w+ )?(?:day|week|month|year)s"
    r"|other (?:day|night|week)|a while(?: back| ago)?|(?:not )?(?:so |too |very |that )?long ago|soon|just now)\b",
    re.IGNORECASE,
)
"""Words for a time that depend on the day when they were said."""
_PLANNED = re.compile(
    r"(?:will|plans?|planning|intends?|wants?|hopes?|hoping|aims?|is going|is about|looks? forward|considers?|goals?"
    r"|is considering|appointments?|deadline|due)\b",
    re.I,
)
_FIRST = re.compile(r"\b(?:I|my|me|we|our|us)\b")
_OF_LIFE = (
    (re.compile(r"^[Ww]hen (?:I|we) (?:was|were) (?=an? )"), "as "),
    (re.compile(r"^[Ww]hen (?:I|we) (?:was|were) (?=(?:about |around )?\d)"), "at the age of "),
    (re.compile(r"^[Ww]hen (?:I|we) (?:was|were) "), "when "),
    (re.compile(r"^[Ss]ince (?:I|we) (?:was|were) (?=(?:about |around )?\d)"), "since the age of "),
    (re.compile(r"^[Ss]ince (?:I|we) (?:was|were) "), "since being "),
)
_AGO = re.compile(
    r"(?P<about>(?:about|around|roughly|nearly|almost) )?(?P<count>[\w ]+?) (?P<unit>\w+) ago", re.IGNORECASE
)
_VAGUE = re.compile(r"\b(?:long|while) ago$|^(?:less|more) than\b", re.IGNORECASE)
_NO_COUNT = re.compile(r"\w+ ago", re.IGNORECASE)
_NOW = re.compile(r"(?:right |just |from |as of )?now(?:adays)?(?: on)?|currently|these days", re.IGNORECASE)
FOR_NOW = re.compile(
    r"\b(?:at (?:the|this) moment|at present|for now|for the time being|right now|currently|temporar(?:y|ily)"
    r"|these days|momentan|zurzeit|derzeit|vorläufig|im Moment|por ahora|de momento|actualmente)\b",
    re.IGNORECASE,
)
"""Words that say that something is true only for now."""
_UNTIL = re.compile(r"(?:until|till|til) ", re.IGNORECASE)
_COARSE = {"month": "%B %Y"} | dict.fromkeys(("year", "decade", "spring", "summer", "autumn", "fall", "winter"), "%Y")
"""The date format for each unit of time that is counted only approximately."""


def in_english(phrase: str) -> str:
    """Return a time phrase in English if all its words are known; otherwise return the phrase unchanged.

    >>> in_english("letzten Freitag"), in_english("la semana pasada"), in_english("im Mai 2024"), in_english("in May")
    ('last friday', 'last week', 'may 2024', 'in May')
    """
    text = " ".join(phrase.casefold().replace("’", "'").split())
    words = [word if word.isdigit() else _ENGLISH.get(word) for word in text.split()]
    english = " ".join(word for word in words if word)
    return _WHOLE.get(text) or (english if english and None not in words else phrase)


@dataclass(frozen=True, slots=True)
class When:
    """The *tense* of a claim, and the time from which the claim is true (*starts*).

    *words* is a time phrase to add after the sentence. *dated* is a day, week, month or year to add to the object, in
    the form of `slowwave.core.predicates.sentences`.
    """

    tense: Tense
    starts: datetime
    dated: str = ""
    words: str = ""


def when(phrase: str, verb: str, turn: StoredEpisode) -> When:
    """Return the time that *phrase* means in *turn*, for a statement with *verb*.

    An empty phrase means the turn's time.

    A phrase that is not a date stays in words if its meaning does not depend on the day ("every Tuesday"). Other
    phrases ("the other day") are dropped.
    """
    first, _, _ = verb.partition(" ")
    tense: Tense = "future" if _PLANNED.match(verb) else "past" if is_past(first.lower()) else "current"
    if not phrase:
        return When(tense, turn.occurred)
    english = in_english(phrase)
    if _NOW.fullmatch(english):
        return When(tense, turn.occurred)
    if FOR_NOW.fullmatch(english):
        return When(tense, turn.occurred, words=english)
    toward = "future" if tense == "future" else _toward(phrase if english == phrase else "", english, verb, turn)
    found = period(english, turn.local, toward)
    if found is None:
        return When(tense, turn.occurred, words=_lasting(english, turn.local))
    if _UNTIL.match(english):
        return When(tense, turn.occurred, words=until(found.text))
    if english.casefold().startswith("since ") and found.start <= turn.occurred:
        return When(tense, found.start)  # it has been true since then
    return _at(found, tense, turn.occurred)


def planned_before(phrase: str, verb: str, turn: StoredEpisode) -> bool:
    """Return whether the start of a plan, according to *phrase*, is earlier than *turn*, which mentions the plan."""
    time = when(phrase, verb, turn)
    return time.tense == "future" and time.starts < turn.occurred


def _toward(text: str, english: str, verb: str, turn: StoredEpisode) -> Direction | None:
    """Return whether a time is in the past or in the future; None if unknown.

    The words of *turn* around the time *text* decide, or else the claim's *verb*.
    """
    begin = turn.content.casefold().find(text.casefold()) if text else -1
    found = direction(turn.content, begin, begin + len(text)) if begin >= 0 else None
    return found or direction(f"{verb} {english}", len(verb) + 1, len(verb) + 1 + len(english))


def _at(found: Period, tense: Tense, stated_at: datetime) -> When:
    dated = f" ({found.text})"
    if tense == "future":
        return When(tense, stated_at if found.end > stated_at else found.start, dated)
    return When("future" if found.start > stated_at else tense, found.start, dated)


def _lasting(phrase: str, stated_at: datetime) -> str:
    """Return *phrase* in words that do not depend on the day, or an empty text if there are no such words.

    >>> noon = datetime(2026, 5, 7, 12)
    >>> _lasting("about five years ago", noon), _lasting("a few months ago", noon), _lasting("a while ago", noon)
    ('around 2021', 'a few months before May 2026', '')
    >>> _lasting("almost a decade ago", noon), _lasting("two summers ago", noon)
    ('almost a decade before 2026', 'two summers before 2026')
    >>> _lasting("two years Ago", noon), _lasting("less than a year ago", noon), _lasting("ages ago", noon)
    ('two years before 2026', '', '')
    """
    if (ago := _AGO.fullmatch(phrase)) and not _VAGUE.search(phrase):
        coarse, counted = (
            _COARSE.get(ago["unit"].lower().removesuffix("s")),
            period(phrase[ago.start("count") :], stated_at, "past"),
        )
        if ago["about"] and coarse and counted:
            return f"around {counted.first.strftime(coarse)}"
        then = stated_at.strftime(coarse) if coarse else on(stated_at.date()).removeprefix("on ")
        return f"{phrase[: -len('ago')]}before {then}"
    if _NO_COUNT.fullmatch(phrase):
        return ""
    worded = _in_third_person(phrase)
    return "" if LEANING.search(worded) or _FIRST.search(worded) else worded


def _in_third_person(phrase: str) -> str:
    """Return a time in the speaker's life in the third person: `when I was a kid` becomes `as a kid`."""
    for pattern, replacement in _OF_LIFE:
        phrase = pattern.sub(replacement, phrase)
    return phrase
