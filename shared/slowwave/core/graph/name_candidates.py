"""The names that a question may contain: all runs of its words."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

_WORD = re.compile(r"[^\W_]+(?:['’&.@/+-][^\W_]+)*\+*")
_BETWEEN = re.compile(r"\.?\s{1,3}|-")
"""The gap between two words of one name."""
_WITHIN_NAMES = re.compile(r"[,:]\s{1,3}")
"""The gap between two parts of one name: University of California, Berkeley."""
_ITS = re.compile(r"['’]s?$")
_ME = {"i": "user", "me": "user", "my": "user", "mine": "user", "myself": "user"}

_MINE = ("my", "our")
"""Possessives of the speaker: "my sister" is the user's sister."""

LONGEST = 8
"""The most words of a name in a question."""
MOST_WORDS = 200
"""The words of a question that are searched for names; an entity named later is found only by similarity."""

Span = tuple[int, int]
"""The start and end of a name in a question."""


def named_in(question: str) -> list[str]:
    """Return the possible names in *question*, once each: runs of its words, and "user" for a first person.

    >>> named_in("Ada's office")
    ["Ada's", 'Ada', "Ada's office", 'office']
    >>> "user" in named_in("Where do I live?")
    True
    """
    return list(dict.fromkeys(name for name, _ in runs(question)))


def runs(question: str) -> Iterator[tuple[str, Span]]:
    """Give the possible names in *question* with their spans, some with the full stop that follows.

    >>> [name for name, _ in runs("D.C.")]
    ['D.C', 'D.C.']
    >>> "user's sister" in [name for name, _ in runs("Where is my sister?")]
    True
    """
    words = list(_WORD.finditer(question))[:MOST_WORDS]
    joined = [_is_joined(question, one, two) for one, two in pairwise(words)]
    for first, word in enumerate(words):
        for last in range(first, min(first + LONGEST, len(words))):
            if not all(joined[first:last]):
                break
            start, end = word.start(), words[last].end()
            text = question[start:end]
            yield text, (start, end)
            if word[0].casefold() in _MINE and last > first:
                yield f"user's {question[words[first + 1].start() : end]}", (start, end)
            if (owner := _ITS.sub("", text)) != text:
                yield owner, (start, end)
            if question[end : end + 1] == ".":
                yield text + ".", (start, end + 1)
        if word[0].casefold() in _ME:
            yield _ME[word[0].casefold()], word.span()


def outermost(found: Mapping[Span, str]) -> dict[Span, str]:
    """Return the names of *found* that are not within a longer one.

    >>> outermost({(0, 3): "New", (0, 8): "New York", (12, 15): "Ada"})
    {(0, 8): 'New York', (12, 15): 'Ada'}
    """
    return {
        (start, end): name for (start, end), name in found.items()
        if not any(a <= start and end <= b and (a, b) != (start, end) for a, b in found)
    }  # fmt: skip


def _is_joined(question: str, one: re.Match[str], two: re.Match[str]) -> bool:
    if _BETWEEN.fullmatch(question, one.end(), two.start()):
        return True
    named = one[0][0].isupper() and two[0][0].isupper()
    return named and bool(_WITHIN_NAMES.fullmatch(question, one.end(), two.start()))
