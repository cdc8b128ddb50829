"""Names and numbers of a summary that stand nowhere in what it sums up: what a model made up."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]\w*")
_BEGINS = re.compile(r"[.!?:\n]\W*$")
"""What stands before the first word of a sentence, or before one that a speaker's name leads to."""
REACH = 10
"""Characters before a word in which that must stand."""
_PLAIN = frozenset(
    _WORD.findall(
        "a after all also although an and another are as at because before both but by did do does during every few "
        "finally first for from he her here his how however i if in is it its later many more most my no none not now "
        "of on one or other our she since so some the their then there these they this those though to two until was "
        "we were what when where which while who why with yes you your assistant system tool user"
    )
)
"""Words that begin a sentence with a capital letter and name nobody."""


def unsaid(lines: Iterable[str], said: Iterable[str]) -> Counter[Literal["names", "numbers"]]:
    """Return how many names and numbers of *lines* stand in none of the texts that were *said*.

    A name is a word with a capital letter; at the beginning of a sentence, where any word has one, unless it is a word
    of grammar: a summary whose sentences begin with whom they are about is judged best. Two numbers are the same where
    they are written the same.

    >>> dict(unsaid(["user: Ann paid Bob 30 euros."], ["Ann: I paid 20 euros to my friend Ann."]))
    {'names': 1, 'numbers': 1}
    """
    known = {word.casefold() for text in said for word in _WORD.findall(text)}
    return Counter(kind for line in lines for kind, word in _telling(line) if word.casefold() not in known)


def _telling(line: str) -> Iterator[tuple[Literal["names", "numbers"], str]]:
    for found in _WORD.finditer(line):
        word = found.group()
        if word[0].isdigit():
            yield "numbers", word
        elif word[0].isupper() and word != "I" and not (_begins(line, found.start()) and word.casefold() in _PLAIN):
            yield "names", word


def _begins(line: str, start: int) -> bool:
    """Return whether a sentence begins at *start*, or what follows a speaker's name."""
    before = line[max(0, start - REACH) : start]
    return start == 0 or _BEGINS.search(before) is not None
