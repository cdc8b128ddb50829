"""Nouns that name a thing, as opposed to nouns that give its owner or kind: a phone number is not a phone, and Ana's
cat is not Ana.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from slowwave.core.beliefs.identity import text_of
from slowwave.core.contradiction.belief_state import DATED, BeliefMatter
from slowwave.core.contradiction.words import TEXTS, is_verb_form, stem, stems, words_of
from slowwave.core.predicates.english import single, these

_NAME = r"(?:(?:Mrs?|Ms|Dr|Prof)\.? )?[^\W\d_][\w-]*"
_OWNER = re.compile(rf"\b(?P<owner>{_NAME})(?:['\u2019]s|(?<=s)['\u2019]) (?:(?:old|new|own) )?(?=(?P<owned>[\w-]+))")
_TIME = re.compile(rf"(?:{DATED.pattern}|today|yesterday|tonight|(?:this|last) \w+)", re.IGNORECASE)
_VERBAL = re.compile(r"\w\w[^e]ed$|ly$|(?<!wedd)(?<!meet)(?<!build)(?<!paint)(?<!train)ing$")
_GIVEN_TO = re.compile(
    r"\b(?:left|gave|given|sent|sold|lent|handed|passed|offered|owe|paid|returned|brought|bought) "
    rf"(?:(?:my|our|the) )?(?P<who>{_NAME}(?: [A-Z][\w-]*)?) (?:an?|the|my|our|his|her|their|some|two|three) "
    r"(?!(?:other|few|couple|(?:long )?(?:day|week|month|year|hour|minute|decade|while)s?)\b)"
)
_PAIR = re.compile(r"(?:\b(?P<to>to) )?\b(?P<first>[a-z][a-z-]+) (?=(?P<second>[a-z][a-z-]+))")
_UNKNOWN = re.compile(r"\b(?:an?|another|some|several|a few) (?!new\b|few\b|of\b)(?P<what>[\w-]+(?: [\w-]+)?)")
_ABOUT = re.compile(r"\b(?:an?|the|my|our|his|her|their|some|two|three|new) (?:[\w-]+ ){1,3}about (?P<topic>[^,.;:]+)")
_USED_FOR = re.compile(r"\buses? .+ for (?:their|his|her) (?P<what>[\w ]+)$")
_TITLE = r"(?:Mrs?|Ms|Dr|Prof)\.? "
_CALLED = re.compile(rf"\b(?:(?:called|named|with|name is) (?:{_TITLE})?|{_TITLE})(?P<name>[A-Z]\w+(?: [A-Z]\w+)*)")
_IS = re.compile(r"\b(?:is|are)\b")
_BEARING = re.compile(
    r"\b(?:an?|their|his|her) (?=(?P<what>[\w-]+(?: (?!(?:of|in|at|on|for|with|from|to|by|and)\b)[\w-]+){0,3}))"
)
_COUNTED = re.compile(r"(?i)\b(?:two|three|four|five|six|several|\d+) (?:[\w-]+ ){0,2}?(?P<what>[^\W\d_]+s)\b")
_LETTERS = re.compile(r"[^\W\d_]+")
LIGHT = these(TEXTS["light"])
"""Stems of words that are too general to name a changed matter."""
SIDES = stems(TEXTS["sides"])
"""Nouns that news may add to the name of its matter. For example, `the Netflix subscription` is Netflix."""
_NO_OTHER = stems("line direct immediate own family general local regular current previous former dear lovely")
"""Stems of words that do not change a role: a line manager is a boss, but a bank manager is not."""
PORTIONS = stems("""half quarter part chapter page section episode draft volume season act lap stage phase""")
"""Nouns for a part. News of `half the garden` is not news of the garden."""
ACTIVITY = these(TEXTS["activity"])
_SAME = LIGHT | SIDES | frozenset(map(stem, ACTIVITY))
"""Stems of nouns that do not change the meaning of a thing: a yoga class is yoga."""
_NO_NOUN = these(TEXTS["no nouns"])
"""Words other than nouns that may follow a noun."""


@lru_cache(maxsize=16_384)
def describing(text: str, verb: str = "") -> frozenset[str]:
    """Return the stems of words in *text* that describe another noun, or name its owner or receiver.

    *verb* is the verb of *text*. Without *verb*, a word in -s may be the verb.

    >>> sorted(describing("Sam's phone number is 5550134", "be"))
    ['phon', 'sam']
    >>> describing("I left Ines my umbrella"), describing("Sam goes to a yoga class", "go")
    (frozenset({'ine'}), frozenset())
    """
    given = (words_of(found["who"]) for found in _GIVEN_TO.finditer(text))
    topics = (words_of(one["topic"]) for one in _ABOUT.finditer(text))  # who blogs about birds has none
    found = set[str]().union(*(owner for owner, _ in possessions(text)), *given, *topics)
    for pair in _PAIR.finditer(text):
        first, second = stem(pair["first"]), pair["second"]
        many, verbs = _is_in_s(pair["first"]), words_of(verb)  # a plural describes nothing
        is_verb = pair["to"] or first in verbs or first.endswith("ing") or is_verb_form(pair["first"])
        verb_follows = stem(second) in verbs or (not verb and _is_in_s(second))
        if not (many or is_verb or verb_follows) and _is_noun(second) and stem(second) not in _SAME:
            found.update(words_of(pair["first"]))
    return frozenset(found)


def described(belief: BeliefMatter) -> frozenset[str]:
    """Return the stems of a belief's adjectives: words that describe the thing it is about, without its name."""
    if belief.form == "typed":
        return describing(f"a {belief.object}") | describing(belief.text)
    if used := _USED_FOR.search(text_of(belief)):
        return describing(text_of(belief), belief.predicate).union(words_of(used["what"]))
    text, is_of_being = text_of(belief), belief.predicate == "be" or ":" in belief.predicate
    return describing(text, ("be" if _IS.search(text) else "") if is_of_being else belief.predicate)


def unnamed(text: str, believed: str) -> set[str]:
    """Return the stems of capitalised names in *believed* that *text* does not contain as names.

    >>> unnamed("cookies", "a dog called Cookie"), unnamed("Cookie", "a dog called Cookie")
    ({'cooki'}, set())
    """
    names = (name for one in _CALLED.finditer(believed) for name in one["name"].split())
    return {stem(name) for name in names if not re.search(rf"\b{name}\b", text)}


def introduced(text: str) -> frozenset[str]:
    """Return the stems of things that *text* mentions for the first time, with an article such as `a`.

    >>> introduced("I sold a car to the neighbour"), introduced("I have a new phone")
    (frozenset({'car'}), frozenset())
    """
    return frozenset(word for one in _UNKNOWN.finditer(text) for word in words_of(one["what"]))


@lru_cache(maxsize=4_096)
def possessions(text: str) -> tuple[tuple[frozenset[str], str], ...]:
    """Return, for each owner in *text*, the owner's stems and the stem of the owned thing.

    The stem of the thing is empty unless *text* begins with the owner.

    >>> possessions("my sister's car was stolen, and Tom's gone"), possessions("today's rehearsal is off")
    (((frozenset({'sister'}), 'car'),), ())
    """
    return tuple(
        (frozenset(words_of(one["owner"])), "" if one.start("owner") > len("our ") else stem(one["owned"]))
        for one in _OWNER.finditer(text)
        if words_of(one["owner"]) and _is_noun(one["owned"]) and not _TIME.match(one["owner"])
    )


def is_namesake(text: str, word: str, report: str) -> bool:
    """Return whether the name with the stem *word* means another thing in *text* than in *report*.

    >>> is_namesake("Sam drives a VW Golf", "golf", "golf"), is_namesake("Sam has a Slack account", "slack", "slack")
    (True, False)
    """
    if any(stem(one) == word and not one.islower() for one in _LETTERS.findall(report)):
        return False
    things = (pairwise([*one["what"].split(), ""]) for one in _BEARING.finditer(text))
    return any(
        stem(name) == word and name[0].isupper() and stem(of) not in _SAME for thing in things for name, of in thing
    )


def names_all(text: str, others: Iterable[str]) -> bool:
    """Return whether *text* has a plural whose singular occurs in all of *others*.

    >>> names_all("both bikes", ["Sam has a red bike", "Sam has a blue bike"]), names_all("the bike", ["Sam's bike"])
    (True, False)
    """
    ones = {single(word) for word in _LETTERS.findall(text.casefold()) if single(word) != word}
    texts = [frozenset(_LETTERS.findall(other.casefold())) for other in others]
    return any(all(one in words for words in texts) for one in ones)


@lru_cache(maxsize=4_096)
def is_one_of(text: str, several: str) -> bool:
    """Return whether *text* names one of the counted things in *several*: `the violin` of `two violins`.

    >>> is_one_of("the violin", "Sam has two old violins"), is_one_of("the violins", "Sam has two old violins")
    (True, False)
    """
    named = set(_LETTERS.findall(text.casefold()))
    counted = (one["what"].casefold() for one in _COUNTED.finditer(several))
    return any(single(what) != what and single(what) in named and what not in named for what in counted)


@lru_cache(maxsize=4_096)
def qualifying(text: str, nouns: frozenset[str]) -> frozenset[str]:
    """Return the stems of words that change the meaning of one of *nouns*, which are given as stems.

    >>> qualifying("Sam's PhD supervisor is Helen", frozenset({"boss", "supervisor"}))
    frozenset({'phd'})
    >>> qualifying("Karen is Sam's new boss", frozenset({"boss", "supervisor"}))
    frozenset()
    """
    pairs = pairwise(re.findall(r"[\w'\u2019-]+", text))
    before = (first for first, second in pairs if stem(second) in nouns and not first.endswith(("'s", "\u2019s", "s'")))
    return frozenset(word for first in before for word in words_of(first) if word not in LIGHT | _NO_OTHER)


def _is_in_s(word: str) -> bool:
    """Return whether *word* is a plural, or a verb of the third person."""
    return word.endswith("s") and stem(word) != word


def _is_noun(word: str) -> bool:
    """Return whether *word* may be a noun, and is not a verb form, a date, an adverb or a function word."""
    if word.casefold() in _NO_NOUN or _VERBAL.search(word) or is_verb_form(word) or _TIME.match(word):
        return False
    return bool(words_of(word)) and not word[0].isdigit()
