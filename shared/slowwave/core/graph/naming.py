"""The names that a question may hold: every run of its words."""

import re
from itertools import pairwise

_WORD = re.compile(r"[^\W_]+(?:['’&.@/+-][^\W_]+)*\+*")
_BETWEEN = re.compile(r"\.?\s{1,3}|-")
"""The gap between two words of one name."""
_ITS = re.compile(r"['’]s?$")
_ME = {"i": "user", "me": "user", "my": "user", "mine": "user", "myself": "user"}

LONGEST = 6
"""Words of a name that is looked for in a question."""
MOST_WORDS = 200
"""Words of a question that are looked at; an entity that is named later is found by meaning alone."""


def named_in(question: str) -> list[str]:
    """Return the possible names in *question*, once each: its runs of words as written, and the user for the speaker.

    >>> named_in("Ada's office")
    ["Ada's", 'Ada', "Ada's office", 'office']
    >>> "user" in named_in("Where do I live?")
    True
    """
    words = list(_WORD.finditer(question))[:MOST_WORDS]
    joined = [bool(_BETWEEN.fullmatch(question, one.end(), two.start())) for one, two in pairwise(words)]
    found: dict[str, None] = {}
    for first, word in enumerate(words):
        for last in range(first, min(first + LONGEST, len(words))):
            if not all(joined[first:last]):
                break
            text = question[word.start() : words[last].end()]
            found |= dict.fromkeys([text, _ITS.sub("", text)])
        if word[0].casefold() in _ME:
            found[_ME[word[0].casefold()]] = None
    return list(found)
