"""References to earlier words. A sentence is unclear if its *it* has no referent in the sentence."""

import re
from collections.abc import Sequence
from functools import lru_cache

from slowwave.rules.statements import verbs
from slowwave.rules.statements.third_person import Person
from slowwave.rules.statements.vague_words import NOUNS, PERSONS, PLACES, TOGETHER
from slowwave.rules.statements.words import (
    COORDINATE,
    DETERMINERS,
    FIRST,
    GRAMMAR,
    LISTS,
    PREPOSITIONS,
    QUESTION,
    SUBORDINATE,
    UNRESOLVED,
    Word,
    these,
)  # fmt: skip

VAGUE = these("organization organisation app space intensity design item product piece platform site website")
"""Nouns that are as vague as a pronoun."""
NO_NOUN = (GRAMMAR - these("long first later only")) | QUESTION | these("one ones way")
_SOMEBODY = PERSONS | these("someone somebody youngest oldest")
_NEVER_SHOWN = PREPOSITIONS | COORDINATE | SUBORDINATE
TIMES = these("week weekend month year morning afternoon evening night summer winter spring fall autumn time")
_BEGINS = FIRST | UNRESOLVED | SUBORDINATE
SHOWING = these("this these those that")
_POINTING = LISTS["pointing"]
_HANDLED = these("have use get take make give want see bring watch read find try love like enjoy do capture buy visit")
"""Verbs after which *that* is a pronoun; after *know* or *say* it opens a clause."""
_PERSONS = these("he he's him she she's her hers his himself herself")
_PLACED = these("in to at from near through around visit visited")
_ACTED = _HANDLED | LISTS["acted on"]
_MANY = these("they they're they've they'd they'll them these those 'em")
_ABSOLUTE = these("mine yours theirs hers ours")
_OF_SEVERAL = re.compile(r"\bus (?:\w+ )?(?:together|closer|both|all)\b", re.IGNORECASE)
_COUNTS = these("any some few several both another three four five six seven eight nine ten")
"""Words that count things named earlier, if they end a clause."""
_PLURAL = TOGETHER | these("people children men women police folks everyone friends kids")
_BEING = these("is are was were am be been being i'm 's")
_NOTHING = LISTS["no referents"]
"""Nouns to which a later *it* does not refer."""
OWNED = these("their his her its my our")
_WORDS = re.compile(r"[\w'&/-]+|,")
JUDGED_IT = re.compile(
    r"(?:finds?|found) it (?!\w*[^s\W]s\b)\w+|ma(?:kes?|de) it (?:easy|easier|hard|harder|clear|possible|through)\b"
    r"|it(?:'s| is| was) (?!going )(?:\w+ ){1,2}(?:to|that|how|when|for|seeing|being|having)\b"
    r"|\bwith (?:\w+ ){1,3}(?:on|in) it\b"
)
"""An *it* that refers to later words: `finds it hard to leave`."""


_SAYING_WHICH = these("of about called named by for with on in at near during when")
_UNSAID = re.compile(
    r"\ban? (?:(?:huge|big|massive|total|real|true|lifelong|diehard) )*fan(?: of it)?(?=,|$| and\b)"
    r"|\bd(?:o|id|oes|one|oing) the same\b|\bsomething (?:similar|like that)\b|\bto a situation\b"
    r"|\breminded of something\b"
    r"|^[^,]*\blike (?:him|her|them)\b|\b(?!had)\w+ that$|\bth(?:inks?|ought) that (?:is|was)\b"
    r"|^(?:[^\s,]+ ){1,3}(?:has|had|got|bought|needs?|ordered|sold|made) \d+ (?:in|at|from|left|so far|for)\b"
    r"|\b(?:a few|some|two|three) (?:more|others)(?=,|$| (?:in|on)\b)|\b(?:another|this) one\b(?! of\b)"
    r"|\b(?:the whole|that other) \w+(?=,|$)"
    r"|\bgoes (?:a few|once|twice|every|most|often|regularly)\b|\bmak\w+ it happen$",
    re.IGNORECASE,
)
"""Phrases that need earlier words: `a huge fan`, `does the same`, `has 11 in the store`."""


def is_vague(words: Sequence[Word], number: int, noun: Word) -> bool:
    """Return whether a noun does not identify a thing: `this spot`, but not `this spot by the mill`."""
    plain = noun.low.removesuffix("s")
    if plain not in NOUNS and noun.low not in VAGUE:
        return False
    following = next((one.text for one in words[number + 1 :] if one.start >= noun.end), "")
    named = following[:1].isupper() and following[:2] not in ("I", "I'")
    return not named and following.lower() not in _SAYING_WHICH and not following[:1].isdigit()


def names(word: Word, before: str) -> bool:
    """Return whether *word* can be a noun right after *before*, a demonstrative such as `this`."""
    if not word.low[0].isalpha() or word.low in NO_NOUN or word.low in TIMES or word.low.endswith("day"):
        return False
    if before in ("this", "that"):
        return verbs.is_base(word.low) or verbs.lemma(word.low) not in verbs.BASE or not word.low.endswith("s")
    return not verbs.is_base(word.low)


def refers_back(sentence: str, person: Person) -> bool:
    """Return whether *sentence* refers to something that only earlier sentences name."""
    if _UNSAID.search(sentence):
        return True
    text = JUDGED_IT.sub(" ", _named_so(person.name).sub(" I ", sentence))
    words = _WORDS.findall(text)
    for place, low in enumerate(map(str.lower, words)):
        if low in _POINTING:
            if not _means_itself(words, place, low):
                if not _named(words, place, low):
                    return True
                if low not in _PERSONS:
                    return False
        elif (
            (low in ("same", "that") and _points_at_noun(words, place))
            or (low in ("one", "ones") and _stands_for(words, place))
            or (low in _COUNTS and _alone(words, place))
            or (low in _ABSOLUTE and place and not _may_be_meant(words, place - 1, many=False))
        ):
            return True
    return False


@lru_cache(maxsize=256)
def _named_so(name: str) -> re.Pattern[str]:
    return re.compile(re.escape(name), re.IGNORECASE)


def of_others(text: str) -> bool:
    """Return whether the text mentions unnamed people with *their* or *us*."""
    if _OF_SEVERAL.search(text):
        return True
    low = text.lower()
    if "their" not in low:
        return False
    words = _WORDS.findall(text)
    first = next((place for place, word in enumerate(words) if word.lower() in ("their", "theirs")), 0)
    return not names_many(words[:first]) and "their" in (word.lower().removesuffix("s") for word in words)


def names_many(words: Sequence[str]) -> bool:
    """Return whether *words* name several things, or a person. A later *their* can refer to them."""
    return any(
        _is_person(words, place)
        or word.lower() in ("they", "them", "everyone")
        or _may_be_meant(words, place, many=True)
        for place, word in enumerate(words)
    )


def _alone(words: Sequence[str], place: int) -> bool:
    """Return True for a number word without a noun: `I don't want any for my garden`."""
    after = words[place + 1].lower() if place + 1 < len(words) else ","
    return after == "," or (after in ("for", "yet", "too", "at", "from") and words[place].lower() in ("any", "another"))


def _named(words: Sequence[str], place: int, low: str) -> bool:
    """Return True if a word before *place* may be the referent.

    The referent of an object must be in an earlier clause.
    """
    end = place
    if low in _PERSONS:
        return any(_is_person(words, before) for before in range(place))
    if low in ("there", "here"):
        return any(_is_place(words, before) for before in range(1, place))
    if words[place].lower() in ("it", "them", "'em", "this", "these", "those", "him", "her") and _is_object(
        words, place
    ):
        end = next((at for at in range(place - 1, 0, -1) if _parts(words, at)), 0)
    return any(_may_be_meant(words, before, many=low in _MANY) for before in range(end))


def _is_person(words: Sequence[str], place: int) -> bool:
    """Return True for a person, by role or name, or for somebody's pet."""
    word, before = words[place], words[place - 1].lower() if place else ""
    name = word[0].isupper() and place > 0 and before not in _PLACED and word.lower() not in NO_NOUN
    role = word.lower().removesuffix("'s")
    return role.endswith("-old") or role in _SOMEBODY or role.removesuffix("s") in _SOMEBODY or name


def _is_place(words: Sequence[str], place: int) -> bool:
    """Return True for a place: `at the mill`, `to Oslo`, `a bakery`."""
    word, before = words[place], words[place - 1].lower()
    named = word[0].isupper() and before in _PLACED and word.lower() not in NO_NOUN
    return named or word.lower() in PLACES


def _points_at_noun(words: Sequence[str], place: int) -> bool:
    """Return True for `that job` and `the same bike`, unless the noun was named before."""
    low, before = words[place].lower(), words[place - 1].lower() if place else ""
    after = words[place + 1].lower() if place + 1 < len(words) else ""
    later = words[place + 2].lower() if place + 2 < len(words) else "."
    named = any(word.lower() == after for word in words[:place])
    if (
        named
        or not after
        or after in NO_NOUN
        or after in TIMES
        or after in _NOTHING
        or not after[0].isalpha()
        or after.endswith("ly")
    ):
        return False
    if low == "same":
        return before == "the" and "as" not in [word.lower() for word in words[place:]]
    ends = later in _NEVER_SHOWN or not later[0].isalpha()
    noun = verbs.lemma(after) not in verbs.BASE or verbs.is_base(after) or after.endswith("ing")
    return ends and noun and before in _ACTED


def _is_object(words: Sequence[str], place: int) -> bool:
    before = words[place - 1].lower() if place else ","
    return (before in PREPOSITIONS and before != "of") or verbs.lemma(before) in verbs.BASE


def _parts(words: Sequence[str], place: int) -> bool:
    """Return True if another clause begins."""
    low, after = words[place].lower(), words[place + 1].lower() if place + 1 < len(words) else ""
    if low in ("and", "but", "or", ","):
        return after in _BEGINS or verbs.is_past(after) or verbs.lemma(after) in verbs.BASE
    return low in SUBORDINATE or low in ("which", "who", "that", "so", "how") or (low == "to" and verbs.is_base(after))


def shows(words: Sequence[Word], place: int) -> bool:
    """Return whether a word is *that* before a noun rather than before a clause: `in that world`."""
    before, after = words[place - 1].low if place else "", words[place + 1].low if place + 1 < len(words) else ""
    if not after or after in NO_NOUN or not after[0].isalpha() or after.endswith("ing"):
        return False
    acts = verbs.lemma(after) in verbs.BASE and not verbs.is_base(after)
    return not acts and (before in PREPOSITIONS or before == "all" or verbs.lemma(before) in _HANDLED)


def _stands_for(words: Sequence[str], place: int) -> bool:
    """Return True for *one* in place of an earlier noun: `I bought one`, `the other one`."""
    before, after = (
        words[place - 1].lower() if place else "",
        words[place + 1].lower() if place + 1 < len(words) else "",
    )
    return after not in ("of", "day", "is", "another", "who") and (
        (verbs.lemma(before) in verbs.BASE and before not in ("last", "own"))
        or before in ("this", "that", "these", "those", "other", "on", "as", "right", "favorite", "favourite")
        or (before == "the" and after in ("in", "at", "from", "on", "with", "i"))
    )


def _means_itself(words: Sequence[str], place: int, low: str) -> bool:
    """Return True for `this summer`, `those who`, `there was` and similar phrases, which need no referent."""
    after = words[place + 1].lower() if place + 1 < len(words) else ""
    if low == "there":
        return after in _BEING
    return (low in ("this", "these", "those") and after in TIMES) or (
        low == "those" and after in ("who", "in", "with", "around")
    )


def _may_be_meant(words: Sequence[str], place: int, *, many: bool) -> bool:
    """Return True for a word to which a later *it* or *they* may refer: a noun, according to its neighbours."""
    word, before = words[place], words[place - 1].lower() if place else ""
    low = word.lower()
    if low in NO_NOUN or not low[0].isalpha() or low in _NOTHING:
        return False
    if many and not (
        low.endswith("s") or low in _PLURAL or "and" in (before, *map(str.lower, words[place + 1 : place + 2]))
    ):
        return False
    if before in DETERMINERS or before in OWNED or before.endswith("'s") or before.isdigit() or before == "'s":
        return True
    if before in PREPOSITIONS:
        return verbs.lemma(low) not in verbs.BASE or not (before == "to" and verbs.is_base(low))
    named = word[0].isupper() and (place > 0 or not many)
    return named or (low.endswith("s") and not verbs.is_base(verbs.lemma(low)))
