"""Names and numbers in a summary that its sources do not contain: a model made them up."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

from slowwave.core.predicates.english import FUNCTION_WORDS, these

_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]\w*")
_BEGINS = re.compile(r"[.!?:\n]\W*$")
"""The text before the first word of a sentence, or before a word after a speaker's name."""
REACH = 10
"""The characters before a word that are searched for that text."""
_PLAIN = FUNCTION_WORDS | these(
    """after although another assistant because before both during every few finally first however later many none now
    one since system though tool two until user while yes"""
)
"""Words that may begin a sentence with a capital letter without being names."""


def count_unsupported(lines: Iterable[str], texts: Iterable[str]) -> Counter[Literal["names", "numbers"]]:
    """Return how many names and numbers of *lines* are in none of the texts that were *texts*.

    A name is a capitalised word; at the start of a sentence, where any word is capitalised, unless it is a function
    word: a summary whose sentences start with their subject is rated best. Numbers are equal if they are written the
    same.

    >>> dict(count_unsupported(["user: Ann paid Bob 30 euros."], ["Ann: I paid 20 euros to my friend Ann."]))
    {'names': 1, 'numbers': 1}
    """
    known = {word.casefold() for text in texts for word in _WORD.findall(text)}
    return Counter(kind for line in lines for kind, word in _telling(line) if word.casefold() not in known)


def _telling(line: str) -> Iterator[tuple[Literal["names", "numbers"], str]]:
    for found in _WORD.finditer(line):
        word = found.group()
        if word[0].isdigit():
            yield "numbers", word
        elif word[0].isupper() and word != "I" and not (_begins(line, found.start()) and word.casefold() in _PLAIN):
            yield "names", word


def _begins(line: str, start: int) -> bool:
    """Return whether a sentence, or the text after a speaker's name, begins at *start*."""
    before = line[max(0, start - REACH) : start]
    return start == 0 or _BEGINS.search(before) is not None
