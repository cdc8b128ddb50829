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
_POINTING = these(
    "it it's its they they're them he he's him she she's her hers this these those himself herself here his there"
)
_MANY = these("they they're them these those")
_COUNTS = these("any some few several both three four five six seven eight nine ten")
"""Words that at the end of a clause count something that was named before."""
_PLURAL = these("people family team children men women police staff crew band class couple folks everyone friends kids")
_BEING = these("is are was were am be been being i'm 's")
_NOTHING = these(
    """way ways bit lot lots time times day days week weekend month year something anything everything nothing someone
    anyone sure able ready kind sort thing things while moment step"""
)
"""Nouns that no later *it* means."""
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
        points = word.low in ("this", "these", "those") or (word.low == "that" and _shows(words, number))
        if not points or after is None or every or not _names(after, word.low):
            out.append(word)
        elif word.low in ("this", "that"):
            an = "an" if after.low[0] in "aeiou" else "a"
            out.append(Word(an, an, word.start, word.end))
    return out


def _names(word: Word, before: str) -> bool:
    if not word.low[0].isalpha() or word.low in _NO_NOUN or word.low in _TIMES or word.low.endswith("day"):
        return False
    if before in ("this", "that"):
        return verbs.is_base(word.low) or verbs.lemma(word.low) not in verbs.BASE or not word.low.endswith("s")
    return not verbs.is_base(word.low)


def hangs(sentence: str, person: Person) -> bool:
    """Return whether *sentence* points at something that was named before it, and not in it."""
    text = _JUDGED_IT.sub(" ", re.sub(re.escape(person.name), " I ", sentence, flags=re.IGNORECASE))
    words = re.findall(r"[\w'&/-]+|,", text)
    for place, word in enumerate(words):
        low = word.lower()
        if low in _POINTING:
            if not _means_itself(words, place, low):
                return not _named(words, place, many=low in _MANY)
        elif (low in ("one", "ones") and _stands_for(words, place)) or (
            low in _COUNTS and words[place + 1 :][:1] in ([], [","])
        ):
            return True
    return False


def _named(words: Sequence[str], place: int, *, many: bool) -> bool:
    """True where something before *place* may be meant there; an object means something of a clause before its own."""
    end = place
    if words[place].lower() in ("it", "them", "this", "these", "those", "him", "her") and _is_object(words, place):
        end = next((at for at in range(place - 1, 0, -1) if _parts(words, at)), 0)
    return any(_may_be_meant(words, before, many=many) for before in range(end))


def _is_object(words: Sequence[str], place: int) -> bool:
    after = words[place + 1].lower() if place + 1 < len(words) else ""
    if words[place].lower() == "her" and after not in PREPOSITIONS | COORDINATE | {"", ","}:
        return False
    before = words[place - 1].lower() if place else ","
    return (before in PREPOSITIONS and before != "of") or verbs.lemma(before) in verbs.BASE


def _parts(words: Sequence[str], place: int) -> bool:
    """True where another clause begins."""
    low, after = words[place].lower(), words[place + 1].lower() if place + 1 < len(words) else ""
    if low in ("and", "but", "or", ","):
        return after in FIRST | UNRESOLVED | SUBORDINATE or verbs.is_past(after) or verbs.lemma(after) in verbs.BASE
    return low in SUBORDINATE or low in ("which", "who", "that", "so", "how") or (low == "to" and verbs.is_base(after))


def _shows(words: Sequence[Word], place: int) -> bool:
    """True for a *that* before the noun it points at, rather than before a clause: `in that world`."""
    before, after = words[place - 1].low if place else "", words[place + 1].low if place + 1 < len(words) else ""
    if not after or after in _NO_NOUN or not after[0].isalpha() or after.endswith("ing"):
        return False
    acts = verbs.lemma(after) in verbs.BASE and not verbs.is_base(after)
    return not acts and (before in PREPOSITIONS or before == "all" or verbs.lemma(before) in _HANDLED)


_HANDLED = these("have use get take make give want see bring watch read find try love like enjoy do capture buy visit")
"""Verbs after which a *that* points at a thing; after *know* or *say* it opens a clause."""


def _stands_for(words: Sequence[str], place: int) -> bool:
    """True for a *one* that stands for something that was named before: `I bought one`, `the other one`."""
    before, after = (
        words[place - 1].lower() if place else "",
        words[place + 1].lower() if place + 1 < len(words) else "",
    )
    return after not in ("of", "day", "is", "another", "who") and (
        (verbs.lemma(before) in verbs.BASE and before not in ("last", "own"))
        or before in ("this", "that", "these", "those", "other", "on", "as", "right")
    )


def _means_itself(words: Sequence[str], place: int, low: str) -> bool:
    """True for `this summer`, `those who`, `there was` and the like."""
    after = words[place + 1].lower() if place + 1 < len(words) else ""
    if low == "there":
        return after in _BEING
    return (low in ("this", "these", "those") and after in _TIMES) or (
        low == "those" and after in ("who", "in", "with", "around")
    )


def _may_be_meant(words: Sequence[str], place: int, *, many: bool) -> bool:
    """True for a word that a later *it* or *they* may mean: a noun, as far as the words around it tell."""
    word, before = words[place], words[place - 1].lower() if place else ""
    low = word.lower()
    if low in _NO_NOUN or not low[0].isalpha() or low in _NOTHING:
        return False
    if many and not (
        low.endswith("s") or low in _PLURAL or "and" in (before, *map(str.lower, words[place + 1 : place + 2]))
    ):
        return False
    if before in DETERMINERS or before in _OWNED or before.endswith("'s") or before.isdigit() or before == "'s":
        return True
    if before in PREPOSITIONS:
        return verbs.lemma(low) not in verbs.BASE or not (before == "to" and verbs.is_base(low))
    return (
        (word[0].isupper() and (place > 0 or not many))
        or (low.endswith("s") and not verbs.is_base(verbs.lemma(low)))
        or (low.endswith("ing") and before not in SUBORDINATE | _BEING and verbs.lemma(before) not in verbs.BASE)
        or (
            verbs.lemma(low) not in verbs.BASE
            and low not in _NO_NOUN
            and place > 0
            and not low.endswith("ly")
            and before not in FIRST
        )
    )
