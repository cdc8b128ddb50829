"""Words of English that several readers share: lists, plurals, and irregular verbs."""

import re
from functools import lru_cache

from slowwave.word_lists import texts

TEXTS = texts("english")
"""The lists of `english.txt`, by name."""
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
DAY, MONTH = "|".join(DAYS), "|".join(MONTHS)
"""Expressions for the name of a day and of a month."""
NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12,
}  # fmt: skip
NUMBER = "|".join(NUMBERS)
_PLAIN = re.compile(r"[a-z]{3,}")
_HISSES = ("s", "x", "z", "ch", "sh")
_NO_PLURALS = ("ss", "us", "is", "zz", "ing")
_ALONE = frozenset(TEXTS["without singular"].split())
"""Words that look like plurals, but have no singular, or have a singular with another meaning."""
_ICS = frozenset(("topics", "clinics", "fabrics", "comics", "mechanics", "critics", "picnics", "relics"))
"""Plural words in *ics*; the other words in *ics* name a field or activity: mathematics."""
_IRREGULAR = dict(pair.split("/") for pair in TEXTS["irregular plurals"].split())
"""A map from singulars to irregular plurals."""
_SEVERAL_PEOPLE = re.compile(
    r"(?:^|'s )(?:kids|children|sons|daughters|parents|grandparents|twins|sisters|brothers|friends)$"
)
IRREGULAR = [forms.split() for forms in TEXTS["irregular verbs"].split(";")]
"""Each verb with its past tense and its participle; one form for both where they are the same."""
PAST_VERB = "|".join((*dict.fromkeys(form for forms in IRREGULAR[1:] for form in forms[1:]), "[a-z]{2,}ed"))
"""A pattern for verbs in the past tense and participles, without `was` and `were` (they state no action)."""


def these(text: str) -> frozenset[str]:
    """Return the words of a list as a set."""
    return frozenset(text.split())


FUNCTION_WORDS = these(TEXTS["function words"])
"""Words of grammar, which name nothing."""


_OF_ONE = {many: one for one, many in _IRREGULAR.items()}
_OF_MANY = re.compile(rf"(?<![\w'’-])(?:[a-z]{{2,}}s|{'|'.join(_OF_ONE)})(?![\w'’-])")


@lru_cache(maxsize=4096)
def single(word: str) -> str:
    """Return a plain word in the singular; names, singulars and uncountable words are returned unchanged.

    >>> [single(word) for word in ("boxes", "berries", "children", "wives", "dog", "Adams", "jazz", "bus", "buses")]
    ['box', 'berry', 'child', 'wife', 'dog', 'Adams', 'jazz', 'bus', 'bus']
    """
    if word in _OF_ONE:
        return _OF_ONE[word]
    if word in _IRREGULAR or not word.endswith("s") or not _counts(word):
        return word
    if word.endswith("ics") and word not in _ICS:
        return word
    one = _stripped(word)
    return one if with_s(one) == word else word


@lru_cache(maxsize=4096)
def many(word: str) -> str:
    """Return a plain singular word in the plural; names and uncountable words are returned unchanged.

    >>> [many(word) for word in ("box", "berry", "child", "day", "Adam", "running")]
    ['boxes', 'berries', 'children', 'days', 'Adam', 'running']
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    return with_s(word) if _counts(word) and _stripped(with_s(word)) == word else word


def singles(text: str) -> str:
    """Return *text* with each plain word in the singular.

    >>> singles("The Wolves' children like old cars")
    "The Wolves' child like old car"
    """
    return _OF_MANY.sub(lambda found: single(found[0]), text)


def with_s(word: str) -> str:
    """Return a noun in the regular plural, or a verb in the third person: `boxes`, `carries`."""
    if word.endswith("y") and not word.endswith(("ay", "ey", "oy", "uy")):
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(_HISSES) else f"{word}s"


def is_several(subject: str) -> bool:
    """Return whether *subject* is plural: a role of several people, or several things.

    >>> is_several("Nora's kids"), is_several("slides"), is_several("Nora's boss"), is_several("Athens")
    (True, True, False, False)
    """
    last = subject.rpartition(" ")[2]
    things = last.isalpha() and last.islower() and "'" not in subject and single(last) != last
    return things or _SEVERAL_PEOPLE.search(subject) is not None


def _counts(word: str) -> bool:
    return _PLAIN.fullmatch(word) is not None and word not in _ALONE and not word.endswith(_NO_PLURALS)


def _stripped(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith("es") and word[:-2].endswith(_HISSES):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word
