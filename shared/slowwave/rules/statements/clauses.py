"""The clauses of a sentence. Each clause has the word that joins it to the clause before."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from slowwave.core.predicates.english import MONTHS
from slowwave.rules.statements import verbs
from slowwave.rules.statements.words import (
    ADVERBS,
    BECAUSE,
    COORDINATE,
    FIRST,
    INVERTED,
    LEADING,
    OF_FIRST,
    OPENERS,
    PREPOSITIONS,
    QUESTION,
    SECOND,
    SUBJECTS,
    SUBORDINATE,
    UNRESOLVED,
    Word,
    these,
)  # fmt: skip

LONGEST_LEAD = 6
"""The maximum number of words of a phrase that only says when or where something happens."""
_POINTS = SECOND | UNRESOLVED | FIRST | OF_FIRST - {"my", "our"} | these("all least fact course end hand note meantime")
"""Words that exclude a phrase of time or place: `after that`, `for me`, `after all`."""
_DAYS = these("yesterday today tonight tomorrow")
_AT_A_TIME = these("before after since until")
_THEN = these("anyway too morning week month year summer , . ! ;")
"""Words after a time that was already mentioned: `nobody came before that anyway`."""
_HOW_OFTEN = these("sometimes usually often rarely occasionally mostly generally probably maybe perhaps")
"""Adverbs that are part of a clause's meaning: `but sometimes I work from home`."""
_OWN = FIRST | OF_FIRST
_GONE = these("died quit emigrated")
_FINITE = these("is are was were has have had 's got")
_BORDERS = frozenset(",;:()")
_AT_BORDERS = _BORDERS | COORDINATE | SUBORDINATE | frozenset("-–—…")
_ANNOUNCES = these("i i'm just wanted want have had need gotta trust by as for")
_ANNOUNCING = re.compile(
    r"(?:i )?(?:just )?(?:wanted|want|have|had|need|gotta) to (?:let (?:you|ya) know|tell (?:you|ya)) (?:that )?"
    r"|i'm (?:\w+ )?(?:excited|happy|glad|thrilled|pleased|stoked) to (?:tell|let) (?:you|ya)(?: know)? (?:that )?"
    r"|trust me (?:, )?|by the way |(?:as )?for me (?:, )?(?=i(?:'m|'ve|'ll)? )"
)
_BEFORE_CALL = these(", so")
_CALLS = (
    "take a look",
    "have a look",
    "let's ",
    "check it",
    "check out",
    "check this",
    "speaking of",
    "for sure",
    "look at",
    "trust me",
)


class Clause(NamedTuple):
    """Words with their own subject. *low* are the words in lower case; *joint* is the word before them, such as `and`.

    *begin* is the index of the joint in the sentence.
    """

    words: Sequence[Word]
    low: list[str]
    joint: str
    begin: int


def asks(words: Sequence[Word]) -> bool:
    """Return whether a sentence is a question, with or without a question mark."""
    low = [word.low for word in words]
    while low and (low[0] in OPENERS or low[0] == ","):
        low = low[1:]
    return bool(low) and (low[0] in QUESTION or (low[0] in INVERTED and low[1:2] != [] and low[1] in SUBJECTS))


def stripped(words: Sequence[Word]) -> Sequence[Word]:
    """Return a sentence without its opening interjections and the name of the person addressed."""
    start = 0
    while start < len(words) and (size := _opening(words[start:] if start else words, after_opener=start > 0)):
        start += size
    return _announced(words[start:] if start else words)


def _announced(words: Sequence[Word]) -> Sequence[Word]:
    """Return the words after an announcement, such as `It's been a while, wanted to let you know`."""
    for place in (
        place for place, word in enumerate(words[:-3]) if word.low == "," and words[place + 1].low == "wanted"
    ):
        if size := _announcing(words[place + 1 :]):
            return words[place + 1 + size :]
    return words


def _opening(words: Sequence[Word], *, after_opener: bool) -> int:
    word, after = words[0], words[1].low if len(words) > 1 else ""
    if not word.low[0].isalnum() and word.low != '"':
        return 1
    if word.low == "after" and [one.low for one in words[1:3]] == ["that", ","]:
        return 3
    if word.low == "so" and after in ("much", "many", "few"):
        return 0
    if word.low in OPENERS and (after not in ("of", "to") or word.low in COORDINATE):
        return 1
    spoken_to = word.text[0].isupper() and after == "," and word.low not in FIRST
    spoken_to = spoken_to and word.low not in LEADING and not word.low.endswith("day")
    if spoken_to and (after_opener or (len(words) > 2 and (words[2].low in SUBJECTS or words[2].low in OPENERS))):
        return 2
    return _announcing(words) if word.low in _ANNOUNCES else 0


def _announcing(words: Sequence[Word]) -> int:
    """Return the number of words that only announce the following words: `I just wanted to tell you that`; else 0."""
    found = _ANNOUNCING.match(" ".join([word.low for word in words[:9]]) + " ")
    return found[0].count(" ") if found else 0


def before_call(words: Sequence[Word]) -> Sequence[Word]:
    """Return a sentence without a final request to the reader, such as `, take a look`."""
    low = [word.low for word in words]
    if _BEFORE_CALL.isdisjoint(low):
        return words
    for place in range(2, len(low) - 1):
        if low[place] in (",", "so") and " ".join(low[place + 1 : place + 4]).startswith(_CALLS):
            return words[: place - 1 if low[place - 1] == "," else place]
    return words


def own_part(words: Sequence[Word]) -> Sequence[Word]:
    """Return the part of a clause that is not about the addressed person: `I took your advice and watched it`."""
    if not words or words[0].low not in ("i", "we"):
        return words
    low = [word.low for word in words]
    for place in range(2, len(low) - 1):
        if low[place] == "and" and verbs.is_past(low[place + 1]) and not SECOND.isdisjoint(low[:place]):
            return [words[0], *words[place + 1 :]]
    return words


def clauses(words: Sequence[Word]) -> list[Clause]:
    """Return the clauses of a sentence. A list, or two verbs of one subject, stay in one clause."""
    found: list[Clause] = []
    low, begin, joint, start = [word.low for word in words], 0, "", 0
    place = begin + 1
    if words and low[0] in SUBORDINATE:
        joint, begin, place = low[0], 1, 2
        if main := _main_after(low):
            ends = main - (low[main - 1] == ",")
            found.append(Clause(words[1:ends], low[1:ends], joint, 0))
            joint, begin, place, start = ",", main, main + 1, ends
    for at in [at for at, word in enumerate(low) if word in _AT_BORDERS]:
        border = _border(words, begin, at) if at >= place else None
        if border is None:
            continue
        place = at
        if place > begin:
            found.append(Clause(words[begin:place], low[begin:place], joint, start))
        start = place
        joint, begin = border
        place = begin + 1
    if begin < len(words):
        found.append(Clause(words[begin:], low[begin:], joint, start))
    return _with_lead(found, words)


def _main_after(low: Sequence[str]) -> int:
    """Return the index of the main clause after a dependent clause with its own subject; 0 if unclear.

    `Since I lost my job, things are hard`; `Since I'm lactose intolerant I bake with oat milk`.
    """
    if low[1:2] and low[1] not in SUBJECTS:
        return 0
    for at in range(3, len(low) - 2):
        if low[at] in _AT_BORDERS and low[at] != ",":
            return 0
        if low[at] == ",":
            return at + 1 if low[at + 1] not in SUBJECTS and low[at + 1] not in _AT_BORDERS else 0
        if low[at] in FIRST and low[at - 1] not in PREPOSITIONS and at > 3 and low[0] in ("since", "because", "as"):
            return at
    return 0


def _with_lead(found: list[Clause], words: Sequence[Word]) -> list[Clause]:
    """Return the clauses, with a phrase of time or place at the beginning joined to the first clause.

    Example: `During Lent, we eat no meat`.
    """
    if len(found) < 2 or found[1].joint != "," or found[0].joint or not _says_when(found[0].low):
        return found
    lead = words[: words.index(found[1].words[-1]) + 1]
    return [Clause(lead, [word.low for word in lead], "", 0), *found[2:]]


def _says_when(low: Sequence[str]) -> bool:
    if len(low) == 1:
        return low[0] in _DAYS or low[0].endswith("day")
    if not 2 <= len(low) <= LONGEST_LEAD or not (low[0] in PREPOSITIONS or low[0] in LEADING):
        return False
    return not any(word in _POINTS or verbs.is_past(word) for word in low)


def _says_when_of_own(low: Sequence[str]) -> bool:
    """Return True for a time before the speaker's own clause: `and on Fridays I go swimming`."""
    at = next((at for at, word in enumerate(low) if word in ("i", "we")), 0)
    return (
        at > 1 and _says_when(low[:at]) and any(word.endswith(("day", "days")) or word in MONTHS for word in low[:at])
    )


def _company(words: Sequence[Word]) -> bool:
    """Return True for people who share a subject with the speaker: `my kids` in `my kids and I`."""
    return 2 <= len(words) <= 4 and words[0].low in ("my", "our") and not any(verbs.is_past(word.low) for word in words)


def _describes(name: Sequence[Word], words: Sequence[Word], at: int) -> bool:
    """Return True for a person's role after their full name: `Ruth Adler, our plumber, called`."""
    if len(name) != 2 or not all(word.text[0].isupper() for word in name):
        return False
    following = [word.low for word in words[at : at + 6]]
    return following[:1] in (["my"], ["our"]) and "," in following[2:]


def _tells_of_another(words: Sequence[Word], place: int) -> bool:
    """Return True for a comma before another person and their verb: `my boss is Ana, Tom left`."""
    if words[0].low not in _OWN or not any(word.low in _FINITE or verbs.is_past(word.low) for word in words[:place]):
        return False
    following = words[place + 1 : place + LONGEST_LEAD]
    if [word.low for word in following[:2]] in (["the", "old"], ["the", "last"], ["my", "old"], ["our", "old"]):
        size = 3
    else:
        size = next((at for at, word in enumerate(following) if not (word.text[0].isupper() or word.text == ".")), 0)
    verb = next((word.low for word in following[size:] if word.low not in ADVERBS), "")
    return size > 0 and following[0].low not in FIRST and (verb in _FINITE or verbs.is_past(verb) or verb in _GONE)


def _is_then(low: Sequence[str]) -> bool:
    """Return True for a time that was already mentioned: `before that`, but not `before that tour ends`."""
    return low[:1] in (["that"], ["this"], ["then"], ["it"]) and _THEN.issuperset(low[1:2])


def _is_short_bracket(words: Sequence[Word], place: int) -> bool:
    """Return True for a bracket around one or two words that describe a person: `Ruth (frontend)`."""
    other, step = (")", 1) if words[place].low == "(" else ("(", -1)
    return any(word.low == other for word in words[place + step :: step][:3])


def _border(words: Sequence[Word], begin: int, place: int) -> tuple[str, int] | None:
    """Return the joint and the first word of the clause that begins at *place*, or None."""
    at, joint = place, ""
    if words[at].low in "()" and _is_short_bracket(words, at):
        return None
    if words[at].low in _BORDERS or words[at].low in ("-", "–", "—", "…"):
        joint, at = ",", at + 1
    if at < len(words) and words[at].low in ("and", "but") and at + 1 < len(words) and words[at + 1].low in SUBORDINATE:
        at += 1
    if at < len(words) and (words[at].low in COORDINATE or words[at].low in SUBORDINATE):
        if words[at].low in _AT_A_TIME and _is_then([word.low for word in words[at + 1 : at + 3]]):
            return None
        joint, at = words[at].low, at + 1
    elif at < len(words) and joint and words[at].low in ("which", "who", "whose", "thanks", "hoping", "haha"):
        return words[at].low, at
    if not joint or at >= len(words):
        return None
    joint = "because" if joint in BECAUSE else joint
    if words[place].low in ("(", ")", ";", ":"):
        return joint, at
    skipped = at
    while skipped < len(words) and words[skipped].low in ADVERBS:
        skipped += 1
    if words[place].low == "," and _describes(words[begin:place], words, skipped):
        return None
    if words[place].low == "," and begin == 0 and _tells_of_another(words, place):
        return joint, at
    if skipped < len(words) and words[skipped].low in SUBJECTS:
        if joint == "and" and words[skipped].low in ("i", "we") and _company(words[begin:place]):
            return None
        if joint not in COORDINATE and joint not in (",", "because"):
            return joint, at
        return joint, next((place for place in range(at, skipped) if words[place].low in _HOW_OFTEN), skipped)
    if joint in COORDINATE and _says_when_of_own([word.low for word in words[skipped : skipped + LONGEST_LEAD]]):
        return joint, skipped
    if joint == "," and [one.low for one in words[skipped : skipped + 1]] == ["been"]:
        return joint, skipped
    if joint in SUBORDINATE and joint not in ("as", "before", "after", "since", "until", "while", "though", "although"):
        return joint, at
    return None
