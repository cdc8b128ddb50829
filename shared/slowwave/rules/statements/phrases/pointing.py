"""Clauses and sentences about a thing that only those present know: `this city`, `the painting`."""

import re
from collections.abc import Sequence

from slowwave.rules.statements import verbs
from slowwave.rules.statements.contentless_words import weight
from slowwave.rules.statements.coreference import NO_NOUN, OWNED, SHOWING, TIMES, is_vague, names, shows
from slowwave.rules.statements.vague_words import NOUNS
from slowwave.rules.statements.words import FILLERS, FIRST, PREPOSITIONS, Word, these

TELLS_WHICH = 6
"""The weight of a noun phrase that says which thing is meant: `that lake sunrise`."""
TELLS_SOME = 2
"""The least weight of one that introduces a thing: `I made this bowl`, but not `I picked this color`."""
_SAYS_WHICH = FIRST | these("my of called named who that that's which where whose with from about by near for in at on")
_DEFINITE = re.compile(
    r"(?<!all )\b(?:the|that|those) (?:(?:whole|great|last|same|next|new|first|final|awesome|amazing) )?"
    r"(?:events?|paintings?|photos?|pic|picture|script|project|victory|win|game|match|tournament|destination|place"
    r"|trip|meeting|show|class|book|movie|film|story|song|recipe|results?|process|response|experience|concert"
    r"|part(?:y|ies)|situation"
    r"|topics?|idea|ideas|issue|problem|changes?|competition|contest|performance|conversation|talk|workshop|session"
    r"|pieces?|design|screenplay|characters?|colors?|tattoo|art|cause|studio|petition|upgrades|moment)\b"
    r"(?! (?:of|for|about|with|at|in|on|from|by|called|named|that|where|which|who|when|to|i|we|he|she|they"
    r"|\w+ (?:user|team)|(?-i:[A-Z])\w*)\b)",
    re.IGNORECASE,
)


def without_demonstratives(words: Sequence[Word]) -> list[Word]:
    """Return *words* with `a` for `this` before a noun, and without `these` and `those` there."""
    out: list[Word] = []
    for number, word in enumerate(words):
        if word.low not in SHOWING or (word.low == "that" and not shows(words, number)):
            out.append(word)
            continue
        after = next((one for one in words[number + 1 : number + 4] if one.low not in FILLERS), None)
        before = words[number - 1].low if number else ""
        if before == "all" and word.low in ("these", "those") and after and names(after, word.low):
            out.append(Word("the", "the", word.start, word.end))
            continue
        every = before in ("all", "both")
        if after is None or every or before == "like" or not names(after, word.low) or is_vague(words, number, after):
            out.append(word)
        elif word.low in ("this", "that"):
            noun, *called = words[number + 1 : number + 3]
            known = noun.low in NOUNS and any(one.text[0].isupper() and one.low not in FIRST for one in called)
            an = "the" if known or before == "of" else "an" if after.low[0] in "aeiou" else "a"
            out.append(Word(an, an, word.start, word.end))
    return out


def points_out(words: Sequence[Word]) -> bool:
    """Return whether a clause points at a thing that only those present know: `the food of this city`.

    `I joined this choir` introduces a thing, and `that lake by our house` says which one it is.
    """
    return any(
        word.low in SHOWING and (word.low != "that" or shows(words, number)) and _pointed_at(words, number)
        for number, word in enumerate(words)
    )


def _pointed_at(words: Sequence[Word], number: int) -> bool:
    phrase, behind = _phrase(words, number + 1)
    after = words[number + 1 + len(phrase) :][:3]
    before = words[number - 1].low if number else ""
    if not phrase or not names(phrase[0], words[number].low) or before in ("all", "both", "like"):
        return False
    if phrase[-1].low in TIMES or phrase[-1].low.endswith("day") or behind in _SAYS_WHICH:
        return False
    if behind in PREPOSITIONS and any(word.text[0].isupper() for word in after):
        return False
    if weight(phrase) < TELLS_SOME:
        return True
    done = [word.low for word in words[max(0, number - 3) : number]]
    if words[number].low == "this" and (before.endswith("ing") or any(map(verbs.is_past, done))):
        return False
    return not any(word.text[0].isupper() for word in phrase) and weight(phrase) < TELLS_WHICH


def _phrase(words: Sequence[Word], start: int) -> tuple[Sequence[Word], str]:
    """The words of the noun phrase from *start* on, and the word behind it."""
    end = start
    while (
        end < len(words)
        and (words[end].low in FILLERS or words[end].low[0].isalpha())
        and (
            end == start or not (words[end].low in NO_NOUN or verbs.is_past(words[end].low) or words[end].low in OWNED)
        )
    ):
        end += 1
    return words[start:end], words[end].low if end < len(words) else ""


def lost_referent(text: str) -> bool:
    """Return whether *text* is about a thing that was named only before: `the painting`, not `the painting of Ada`."""
    return _DEFINITE.search(text) is not None
