"""The direction of a time, past or future, from the verb near it: `I start on Friday`, `it ended on Friday`."""

import re
from collections.abc import Sequence
from typing import Literal

from slowwave.core.predicates.english import DAY, IRREGULAR, these
from slowwave.rules.dates.calendar import Direction
from slowwave.word_lists import word_lists

_Direction = Literal["past", "future", "habit", "either"]
"""The direction of a time, according to a verb. A *habit* recurs, or happens once on the next such day."""


_LISTS = word_lists("dates")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|\d+|[,;:.!?()\u2013\u2014]")
_LEAD = re.compile(r"(?:(?:since|until|till|by|from|before|after|to|for|on|in|at|over|during|between) )+", re.I)
_DAYS_ON = re.compile(r"\d(?:st|nd|rd|th)?(?: (?:to|until|till|through) | ?[-–] ?)(?:the )?\d\d?(?:\D|\Z)")
_THE = re.compile(r"\bthe $", re.IGNORECASE)
_ONCE = re.compile(rf"\b(?:weekend|this week|{DAY})\b", re.IGNORECASE)
_BREAKS = these(", ; : . ! ? ( ) \u2013 \u2014 and but or because so that which who when while if although though")
_SAME = these("cut hit hurt put quit read shut split spread cost become come run")
"""Verbs whose past form equals their present form."""
_PAST = these("were wasn't weren't hadn't didn't") | {
    past for base, past, *_ in IRREGULAR if past != base or base in _SAME
}
_PARTICIPLES = frozenset(forms[-1] for forms in IRREGULAR)
_NO_PAST = _LISTS["no past"]
_IS = these("am is are isn't aren't i'm im you're we're they're he's she's it's that's there's here's who's what's")
_WILL = _LISTS["will"]
_LOOKS_BACK = these("should must may might would could")
_PERFECT = these("have has haven't hasn't i've we've they've you've having")
_AHEAD = _LISTS["ahead"]
"""Verbs that mean the future in the present tense."""
_EVENTS = _LISTS["events"]
_BEGINS = these("starting beginning commencing opening")
_SET = _LISTS["set"]
"""Verbs that set an event on a day: `booked for Friday`."""
_MOVED = _LISTS["moved"]
"""Verbs that move an event `to` a day: `moved to the 21st`."""
_ALONG = these("from back forward out over")
"""Words after the verb in a clause about a moved event: `moved back from the 3rd to the 10th`."""
_BOOKED = these("booked scheduled arranged reserved planned")
_TAKEN_ON = _LISTS["taken on"]
"""Actions of today that concern a future day."""
_UNDECIDED = these("wanted planned hoped supposed meant due scheduled going intended expected about")
_WOULD_OR_HAD = these("i'd we'd you'd he'd she'd they'd")
_GETTING = these("get gets getting having")
_ROUTINE = _LISTS["routine"]
"""Participles that do not mean a future event after `get`: `I get paid on the 15th`, `I get tired`."""
_PEOPLE = these("i we they you he she it")
_LIKE = these("like love rather prefer better")
_REMEMBERING = these("remember recall regret miss")
_YEARLY = these("born birthday birthdays anniversary anniversaries")
"""Words for events that happen on a day or in a month of every year."""
_RECURS = these("every each usually always often sometimes normally regularly annually yearly typically")
_DETERMINERS = these("a an the my our his her their its your this that some any no new old")
_LEADING = these("on in at by for from to until till before after over during the")
_SKIPPED = these("not never just also already really only still probably finally now n't even soon")


def is_past(word: str) -> bool:
    """Return whether *word* can be a verb in the past tense.

    >>> is_past("went"), is_past("painted"), is_past("need"), is_past("hundred")
    (True, True, False, False)
    """
    return word in _PAST or (len(word) > 3 and word.endswith("ed") and word not in _NO_PAST)


def _is_over(word: str) -> bool:
    return is_past(word) or word in _PARTICIPLES


def direction(text: str, begin: int, end: int) -> Direction | None:
    """Return the direction of the time at *begin* to *end* in *text*, from the words around it; None if it is unclear.

    A verb in the present tense means the future. A habit with a month is an exception, because the month then means
    this month of every year.

    >>> [direction(told, told.index("Friday"), len(told)) for told in ("It ended on Friday", "We are flying on Friday")]
    ['past', 'future']
    """
    lead = _LEAD.match(text, begin)
    begin = lead.end() if lead else begin
    before = _words(_THE.sub("", text[:begin]))
    if before[-1:] == ["since"]:
        return "past"
    after = _words(text[end:])
    own = _until_break(before[::-1])[::-1]
    following = _until_break(after[1:] if after[:1] == [","] and _LEADING.issuperset(own) else after)
    if not _RECURS.isdisjoint(own) or not _RECURS.isdisjoint(following):
        return None
    found = _backwards(own) or _forwards(following) or _backwards(before)
    if found is None:
        found = "habit" if _EVENTS.isdisjoint(own) and _EVENTS.isdisjoint(following) else "future"
    phrase = text[begin:end]
    if not _YEARLY.isdisjoint([*own, *following]) and not _ONCE.search(phrase):
        return None
    if found == "habit":
        ends = before[-1:] in (["by"], ["until"], ["till"])
        lasts = before[-1:] in (["from"], ["between"]) and any(mark.isdecimal() for mark in phrase)
        lasts = lasts or bool(_DAYS_ON.search(phrase))
        return "future" if ends or lasts or _ONCE.search(phrase) else None
    return None if found == "either" else found


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower().replace("\u2019", "'")) if word not in _SKIPPED]


def _until_break(words: Sequence[str]) -> Sequence[str]:
    return words[: next((at for at, word in enumerate(words) if word in _BREAKS), len(words))]


def _backwards(words: Sequence[str]) -> _Direction | None:
    """Return the direction according to the nearest verb before a time; None if there is no verb."""
    last = next((word for word in reversed(words) if word not in _LEADING), "")
    if last_set := _set(words):
        return last_set
    doing = wanting = passive = begins = getting = False
    for at in range(len(words) - 1, -1, -1):
        word, ahead = words[at], words[at - 1] if at else ""
        if word == "to" and at + 1 < len(words):
            wanting = words[at + 1] not in _DETERMINERS
        elif word.endswith("ing") and len(word) > 4 and ahead not in _DETERMINERS:
            doing, begins = True, begins or word in _BEGINS
        elif word in _WILL or word in ("'ll", "going") or word.endswith("'ll"):
            if word == "going":
                doing = True
                continue
            return _willed(words, at)
        elif is_past(word) or (word in _PARTICIPLES and ahead in _PERFECT):
            if ahead in _DETERMINERS or ahead in ("be", "being"):
                continue
            if _is_got(words[max(0, at - 4) : at]):
                getting = getting or word not in _ROUTINE
                continue
            if ahead == "have" and words[at - 2] in _WILL:
                return "past" if words[at - 2] in _LOOKS_BACK else "future"
            if ahead in _IS or (ahead.endswith("'s") and word in _SET):
                passive = passive or word in _SET or word in _UNDECIDED
                continue
            if word in _SAME and (ahead == "to" or ahead in _WILL):
                continue
            return _over(words, at, wanting=wanting, begins=begins)
        elif word in _IS or (word.endswith("'s") and (doing or passive)):
            return _being(words, at, doing=doing, passive=passive, last=last)
        elif word in ("have", "has", "i've", "we've", "they've"):
            if words[at + 1 : at + 2] in (["to"], ["got"]) or not _EVENTS.isdisjoint(words[at:]):
                return "future"
            return "habit"
        elif (
            word.removesuffix("s") in _AHEAD
            or word.removesuffix("es") in _AHEAD
            or word in ("due", "deadline", "flies")
            or words[at : at + 2] in (["runs", "out"], ["run", "out"])
        ):
            if ahead in _LEADING or ahead in _DETERMINERS:
                continue
            if ahead in _WOULD_OR_HAD or ahead in ("could", "couldn't"):
                continue
            return "past" if ahead in ("did", "didn't", "was", "were") else "future"
        elif word in _REMEMBERING and doing:
            return "past"
        elif word in _WOULD_OR_HAD:
            following = words[at + 1] if at + 1 < len(words) else ""
            if following in _LIKE:
                return "future"
            return "past" if _is_over(following) and following not in _SAME else "either"
        elif word in ("could", "couldn't"):
            return "past" if word == "couldn't" or "have" in words[at + 1 : at + 2] else "either"
        elif word in ("do", "does", "don't", "doesn't"):
            return "habit"
        elif getting and (word == "gets" or (word == "get" and ahead in _PEOPLE)) and words[at - 2] not in _PAST:
            return "future"
    return "future" if getting else None


def _is_got(words: Sequence[str]) -> bool:
    """Return whether a participle after *words* belongs to a form of `get`: `gets married`, `getting my car fixed`."""
    at = next((at for at in range(len(words) - 1, -1, -1) if words[at] in _GETTING), len(words))
    return at < len(words) and words[-1] != "having" and (_PEOPLE | _BREAKS).isdisjoint(words[at + 2 :])


def _set(words: Sequence[str]) -> _Direction | None:
    """Return the direction of a planned day: the future, or `either` if the event only `was planned for` that day.

    If an event is moved `from` one day `to` another day, both days are in the future. A move to another house does not
    count.
    """
    last = words[-1] if words else ""
    verbs = _MOVED | _SET if last in ("to", "from") else _SET if last in ("for", "until", "till") else ()
    at = next((at for at in range(len(words) - 1, -1, -1) if words[at] in verbs), None)
    if at is None:
        return None
    if "from" in words[at:]:
        is_thing = words[at + 1] in _DETERMINERS or (words[at + 1] in _ALONG and words[at - 1] not in _PEOPLE)
        return "future" if is_thing and "last" not in words[:at] else None
    return "either" if at and words[at - 1] in ("was", "were") else "future"


def _willed(words: Sequence[str], at: int) -> _Direction:
    """Return the direction according to `will` and similar verbs: the future, but the past for `should have`."""
    if words[at] in _LOOKS_BACK and "have" in words[at + 1 : at + 3] and (any(map(_is_over, words[at + 2 :]))):
        return "past"
    return "future"


def _over(words: Sequence[str], at: int, *, wanting: bool, begins: bool) -> _Direction:
    """Return the direction according to a verb in the past tense. A plan means the future; a wish may mean either."""
    word, ahead = words[at], words[at - 1] if at else ""
    following = words[at + 1] if at + 1 < len(words) else ""
    if word in ("was", "were") and following in _UNDECIDED:
        return "either"
    if word == "got" and (ahead in _PERFECT or ahead == "'ve"):
        return "future" if following == "to" or not _EVENTS.isdisjoint(words[at:]) else "past"
    if word in _UNDECIDED and (wanting or following in _LEADING):
        return "either"
    if (wanting or begins) and word in _TAKEN_ON:
        return "future"
    if word in _TAKEN_ON and words[-1] in ("for", "from", "until", "till", "agreed", "confirmed"):
        return "future"
    return "either" if begins or word in _BOOKED else "past"


def _being(words: Sequence[str], at: int, *, doing: bool, passive: bool, last: str) -> _Direction:
    """Return the direction according to `is`: `is flying`, `is booked` and `is on` mean the future."""
    adjacent = words[at] == last
    return "future" if doing or passive or adjacent or not _EVENTS.isdisjoint(words[at:]) else "habit"


def _forwards(words: Sequence[str]) -> _Direction | None:
    """Return the direction according to the first verb after a time; None if there is no verb."""
    for at, word in enumerate(words[:8]):
        if word in _WILL or word.endswith("'ll"):
            return _willed(words, at)
        if is_past(word):
            if word in ("was", "were") and words[at + 1 : at + 2] and words[at + 1] in _UNDECIDED:
                return "either"
            return "either" if word in _BOOKED else "past"
        if word in _IS:
            doing = any(each.endswith("ing") and len(each) > 4 for each in words[at + 1 : at + 4])
            return "future" if doing or at == 0 or not _EVENTS.isdisjoint(words[at:]) else "habit"
        if word in ("have", "has", "i've", "we've"):
            perfect = any(map(_is_over, words[at + 1 : at + 3])) and "got" not in words
            ahead = words[at + 1 : at + 2] == ["to"] or not _EVENTS.isdisjoint(words[at:])
            return "past" if perfect else "future" if ahead else "habit"
        if word.removesuffix("s") in _AHEAD:
            return "future"
    return None
