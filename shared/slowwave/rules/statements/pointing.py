"""Words that point: `this cake` stands alone as `a cake`; an *it* with nothing before it that it may mean does not."""

import re
from collections.abc import Sequence

from slowwave.rules.statements import verbs
from slowwave.rules.statements.persons import Person
from slowwave.rules.statements.words import (
    ADVERBS,
    AUXILIARY,
    COORDINATE,
    DETERMINERS,
    FILLERS,
    FIRST,
    OF_FIRST,
    PREPOSITIONS,
    QUESTION,
    SECOND,
    SUBORDINATE,
    UNRESOLVED,
    Word,
    these,
)  # fmt: skip

_NO_NOUN = (
    (ADVERBS - these("long first later then only main")) | AUXILIARY | COORDINATE | DETERMINERS | FIRST | OF_FIRST
    | PREPOSITIONS | QUESTION | SECOND | SUBORDINATE | UNRESOLVED | these("one ones way who which whom whose")
)  # fmt: skip
_TIMES = these("week weekend month year morning afternoon evening night summer winter spring fall autumn time")
_POINTING = these("it it's its they they're them he he's him she she's her hers this these those himself herself here")
_OWNED = these("their his her its my our")
_JUDGED_IT = re.compile(
    r"(?:finds?|found) it \w+|ma(?:kes?|de) it (?:easy|easier|hard|harder|clear|possible|to|work|through)\b"
    r"|it(?:'s| is| was) (?:\w+ ){1,2}(?:to|that|how|when|for)\b"
)
"""An *it* that stands for what follows: `finds it hard to leave`."""


def standing(words: Sequence[Word]) -> list[Word]:
    """Return *words* with `a` for a `this` before a noun, and without `these` and `those` there."""
    out: list[Word] = []
    for number, word in enumerate(words):
        after = next((one for one in words[number + 1 : number + 4] if one.low not in FILLERS), None)
        every = number and words[number - 1].low in ("all", "both")
        if word.low not in ("this", "these", "those") or after is None or every or not _names(after, word.low):
            out.append(word)
        elif word.low == "this":
            an = "an" if after.low[0] in "aeiou" else "a"
            out.append(Word(an, an, word.start, word.end))
    return out


def _names(word: Word, before: str) -> bool:
    if not word.low[0].isalpha() or word.low in _NO_NOUN or word.low in _TIMES or word.low.endswith("day"):
        return False
    if before == "this":
        return verbs.is_base(word.low) or verbs.lemma(word.low) not in verbs.BASE or not word.low.endswith("s")
    return not verbs.is_base(word.low)


def hangs(sentence: str, person: Person) -> bool:
    """Return whether *sentence* points at something that was named before it, and not in it."""
    text = _JUDGED_IT.sub(" ", re.sub(re.escape(person.name), " I ", sentence, flags=re.IGNORECASE))
    words = re.findall(r"[\w'&/-]+", text)
    for place, word in enumerate(words):
        low = word.lower()
        if low in _POINTING and not (low in ("this", "these", "those") and _next_names(words, place)):
            return not any(_may_be_meant(words, before) for before in range(place))
    return False


def _next_names(words: Sequence[str], place: int) -> bool:
    return place + 1 < len(words) and words[place + 1].lower() in _TIMES


def _may_be_meant(words: Sequence[str], place: int) -> bool:
    """True for a word that a later *it* or *they* may mean: a noun, as far as the words around it tell."""
    word, before = words[place], words[place - 1].lower() if place else ""
    low = word.lower()
    if low in _NO_NOUN or not low[0].isalpha():
        return False
    if (
        before in DETERMINERS
        or before in _OWNED
        or before in PREPOSITIONS
        or before.endswith("'s")
        or before.isdigit()
        or before == "'s"
    ):
        return True
    return (
        word[0].isupper()
        or (low.endswith("s") and not verbs.is_base(verbs.lemma(low)))
        or (low.endswith("ing") and before not in SUBORDINATE)
    )
