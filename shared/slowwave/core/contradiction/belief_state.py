"""The state of a belief when news arrives: whether it holds, is about the future, or has a date."""

import re
from collections.abc import Collection, Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import Protocol

from slowwave.core.beliefs.identity import ClaimOrVersion, text_of
from slowwave.core.contradiction.words import TEXTS, stem, stems, words_of
from slowwave.core.predicates import Predicate, english
from slowwave.domain.claim import Tense

MONTH = f"{english.MONTH}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
"""Names of months as a pattern, in full and in short."""
_ON_A_DAY = re.compile(
    rf"(?<!since )(?<!from )\b(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{MONTH})"
    rf"|(?:{MONTH}) \d{{1,2}}(?:st|nd|rd|th)?|tomorrow|tonight|next (?:week|month|year|\w+day))\b",
    re.IGNORECASE,
)
_IN_FULL = re.compile(
    rf"\b(?:(\d{{1,2}}) )?({english.MONTH}|in|spring|summer|autumn|winter) ((?:19|20)\d\d)\b", re.IGNORECASE
)
"""A day, a month, a season or a year, as statements write them."""
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_SUBORDINATE = re.compile(r" (?:that|which|who|whom|whose|because|when|where|so) ")
_MONTHS = {name: number for number, name in enumerate(english.MONTHS, 1)} | {
    "spring": 3, "summer": 6, "autumn": 9, "winter": 12,
}  # fmt: skip
DATED = re.compile(
    rf"{_ON_A_DAY.pattern}|\b(?:(?:{english.DAY})s?|{MONTH}|\d{{1,2}}(?::\d\d| ?[ap]m)"
    r"|at \d{1,2}|noon|spring|summer|autumn|winter|easter|christmas|(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_AHEAD = stems(TEXTS["ahead"])
"""Verbs whose statements are about the future."""
_SETTLED = stems("plan want apply decide prepare book")
"""Verbs that are about the future in the past tense too: a booked flight is in the future."""
PLANNING = (
    r"(?:needs?|ha(?:s|ve)(?: got)?|wants?|wanted|plans?|planned|planning|hop(?:es?|ing)|intends?|aims?|wish(?:es)?"
    r"|going|would (?:like|love)|decided|meant|supposed|trying|looking|ought|about|prepar(?:ing|es)|expects?|agreed"
    r"|promised)"
)
"""Words before `to` and a plan or a duty."""
_WAITING = re.compile(
    rf"\b(?:waiting list|{PLANNING} to|must|should|(?:thinking|dreaming) (?:of|about)|considering|contemplating|off to"
    r"|looking (?:at|into)|train(?:s|ing)? for|(?:in|on) for (?:an?|the|my|their)"
    r"|(?:due|booked|lined up) (?:for|in|on|at))\b"
)
"""Phrases that are about the future."""
_BEGUN = stems(TEXTS["begun"])
"""Verbs whose past tense means something that has been true since."""
_LASTS_STILL = re.compile(r" moved to |\b(?:has|have) .*\bsince ")
"""Phrases in the past tense that are still true."""
_LOST = re.compile(r"\b(?:losing|lost)\b", re.IGNORECASE)
"""Words of a loss, which a repeated report does not end."""
PLACED = re.compile(
    r"^(?P<what>.+?) (?:(?:is|are|sits|stands|meets|hangs|lives|is kept|are kept|is parked|is stored) (?:still |now )?"
    r"(?:in|on|at|by|near|next to|above|below|behind|under|over|across|opposite|inside|outside|around)|moved to) ",
    re.IGNORECASE,
)
_IN_TOWN = re.compile(r"(?:near|. in) [A-Z]")
_LONGER = re.compile(
    r"\b(?:more|again|often|every|each|daily|weekly|regularly|better|less|as much|twice|once an?|always|keep|keeps)\b"
)
"""Words of a wish that one occasion does not fulfil: `wants to run more often`."""
_BEFORE_NOUN = r"(?:(?:on|in|at|the|an?|my|their|his|her|some) ){0,2}"
_LISTED = re.compile(
    rf"\b(?P<first>\w+)(?P<more>(?:, {_BEFORE_NOUN}\w+)*),? and {_BEFORE_NOUN}(?P<last>\w+(?: \w+)?)"
    r"(?=$|[.,;]| (?:on|in|at|with|for|from|to|by|of|every|each|when|after|before|together)\b)"
)
_NO_NOUN = re.compile(
    r"\b(?:I|it|we|they|he|she|you|that|this|there|is|are|was|has|have|had|not|so|then|now|\w+ly|\w+ed|(?!evening|morning)\w+ing)\b"
)
_AND = re.compile(r"\band\b")
_DAY_AT_END = re.compile(r" \((?:[a-z]+ of )?\d{4}\b[^)]*\)$")
"""The day at the end of a typed plan."""
_DAYTIME = re.compile(r"\b(?:mornings?|afternoons?|evenings?|nights?|weekends?)\b", re.IGNORECASE)
_POINTS_BACK = re.compile(
    r"\b(?:it|its|them|they|their|there|this|that|then|he|she|him|her|his|so|not|\w+n't|is|are|was|were|has|had|\w+ly)\b"
)
"""Words by which the second half of a sentence refers to the first."""


class BeliefMatter(ClaimOrVersion, Protocol):
    """A claim or a version that news may change."""

    @property
    def tense(self) -> Tense:
        """The time that the belief is about: the present, the past or the future."""

    @property
    def begins(self) -> datetime:
        """The start of the valid time, which is mostly the time when the belief was said."""

    @property
    def rule(self) -> str:
        """The name of the rule that found the belief. It ends in `TOGETHER` if the belief was stated about `us`."""


def of_nothing_else(belief: BeliefMatter, belief_stems: frozenset[str], word: str) -> bool:
    """Return whether a wish or deadline, with the stems *belief_stems*, names only *word*.

    For example, any deed with a rabbit fulfils `wants a rabbit`.
    """
    of_when = words_of(" ".join(DATED.findall(text_of(belief))))
    owner = set(words_of(belief.subject)) - ({word} if belief.form == "typed" else set())
    return belief_stems - _AHEAD - set(of_when) - owner - set(words_of(belief.predicate)) == {word}


def holds(belief: BeliefMatter, known: Predicate) -> bool:
    """Return whether *belief* holds now or later. Permanent beliefs, summaries and losses do not count."""
    if known.lasts or belief.subject in ("summary", "overview") or _is_lost(text_of(belief)):
        return False
    if belief.tense != "past":
        return True
    return not _BEGUN.isdisjoint(words_of(belief.predicate)) or _LASTS_STILL.search(text_of(belief)) is not None


@lru_cache(maxsize=16_384)
def _is_lost(text: str) -> bool:
    return _LOST.search(text) is not None


def is_placed(belief: BeliefMatter, matter: Sequence[str], *, person: bool = False) -> bool:
    """Return whether *belief* is a statement that only says where a thing is: `Ann's office is on the third floor`.

    *matter* are the stems that name the thing. With *person*, *belief* must say in which town a person is: `Ann's
    brother is in Leeds`, but not `in hospital`.
    """
    found = PLACED.match(text_of(belief)) if belief.form == "statement" else None
    if found is None or DATED.match(text_of(belief), found.end()):
        return False
    if person and (DATED.search(text_of(belief)) or not _IN_TOWN.match(text_of(belief), found.end() - len("near "))):
        return False
    owners = {*map(stem, belief.subject.split()), "team"}
    return set(words_of(found["what"])) - owners <= set(matter)


def is_part(news_stems: Collection[str], belief: BeliefMatter) -> bool:
    """Return whether news, whose stems are *news_stems*, names only a part of the things that a belief lists.

    For example, `yoga on Mondays` is a part of `teaches yoga on Mondays and Thursdays`, and `Mimi` is a part of `a dog
    called Rex and a cat called Mimi`.
    """
    text = text_of(belief)
    for listed in _LISTED.finditer(text):
        items = [str(listed["first"]), *str(listed["more"]).split(", ")[1:], str(listed["last"])]
        named = [not set(words_of(item)).isdisjoint(news_stems) for item in items]
        if not _NO_NOUN.search(listed["last"]) and any(named) and not all(named):
            return True
    sides = [side for side in _AND.split(text) if not _POINTS_BACK.search(side)]
    stems = [set(words_of(_DAYTIME.sub(" ", DATED.sub(" ", side)))) for side in sides]
    stems = [side for side in stems if side]
    shared = set[str]().union(*stems).intersection(*stems) if len(stems) > 1 else set[str]()
    specific = set(news_stems) - shared
    named = [not side.isdisjoint(specific or news_stems) for side in stems]
    return any(named) and not all(named)


def lasts_longer(belief: BeliefMatter) -> bool:
    """Return whether *belief* is a wish that one occasion does not fulfil."""
    return _LONGER.search(text_of(belief)) is not None


def _is_ahead(belief: BeliefMatter, known: Predicate) -> bool:
    """Return whether *belief* is a wish, a plan, or a due date."""
    if belief.form == "typed":
        return known.ahead
    verb = set(words_of(belief.predicate))
    if belief.tense == "future" or (_AHEAD & verb and (belief.tense != "past" or _SETTLED & verb)):
        return True
    return _is_waited_for(text_of(belief))


@lru_cache(maxsize=16_384)
def _is_waited_for(text: str) -> bool:
    return _WAITING.search(text) is not None


def is_due(belief: BeliefMatter, known: Predicate) -> bool:
    """Return whether *belief* is about the future, or about one day, such as `is doing the test on the 20th`."""
    if _is_ahead(belief, known):
        return True
    return belief.form == "statement" and _is_to_come(text_of(belief), belief)


def is_planned(belief: BeliefMatter, known: Predicate) -> bool:
    """Return whether *belief* is a statement with a wish, a plan or a date: `is flying to Crete in May`."""
    return belief.form == "statement" and (is_due(belief, known) or is_dated(belief, known))


def _is_to_come(text: str, belief: BeliefMatter) -> bool:
    """Return True for a sentence with a date that was in the future when it was said: `next try is 2 July 2026`."""
    start = belief.begins
    return any(day > (start.year, start.month, start.day) for day in _in_full(text))


@lru_cache(maxsize=16_384)
def _in_full(text: str) -> Sequence[tuple[int, int, int]]:
    """Return the year, month and day of each date with a year in *text*. A missing month or day is 0."""
    return [(int(year), _MONTHS.get(month.lower(), 0), int(day or 0)) for day, month, year in _IN_FULL.findall(text)]


def day_in(text: str) -> date | None:
    """Return the only day with a year in *text*.

    >>> day_in("Sam is at the fair on 12 June 2026"), day_in("wedding (2026-06-12)"), day_in("in June 2026")
    (datetime.date(2026, 6, 12), datetime.date(2026, 6, 12), None)
    """
    days = [*_in_full(text), *(tuple(map(int, day.split("-"))) for day in _ISO.findall(text))]
    try:
        return date(*days[0]) if len(days) == 1 else None
    except ValueError:
        return None


def without_day(text: str) -> str:
    """Return *text* without the day at its end: `flight` for `flight (2026-03-09)`."""
    return _DAY_AT_END.sub("", text)


def is_dated(belief: BeliefMatter, known: Predicate, own: str = "") -> bool:
    """Return whether *belief* has a date. With *own*, it must be a plan on another day than *own*."""
    if own:
        same = set(words_of(without_day(own))) == set(words_of(without_day(belief.object)))
        return belief.form == "typed" and known.ahead and same and own != belief.object
    return (holds(belief, known) or known.ahead) and DATED.search(text_of(belief)) is not None


def belief_words(belief: BeliefMatter, known: Predicate, *, main: bool = False) -> frozenset[str]:
    """Return the stems of all words of a belief: its subject, its words, and the kinds of its object.

    With *main*, words of subordinate clauses are left out: `drives a Toyota that their father gave` is about a car.
    """
    typed = (known.name, *known.kinds) if belief.form == "typed" else ()
    text = text_of(belief)
    return _word_stems(belief.subject, typed, _SUBORDINATE.split(text)[0] if main else text)


@lru_cache(maxsize=16_384)
def _word_stems(subject: str, typed: tuple[str, ...], text: str) -> frozenset[str]:
    return frozenset((*words_of(subject), *words_of(" ".join(typed)), *words_of(text)))
