"""Words that announce secrets, and ordinary words around secrets, in seven languages."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Literal, NamedTuple

import re2

from slowwave.core.masking.spans import outside_masks
from slowwave.core.predicates.english import these
from slowwave.word_lists import patterns, word_lists

About = Literal[
    "nothing", "question", "seed", "password", "pin", "serial", "key", "token", "code", "lock", "everywhere", "access"
]
"""The subject of a cue: a named secret, a lock that a code opens, or access in general, which is the weakest
subject."""
_CUES = patterns("cues")
CUES = re2.compile("(?i)" + "|".join(f"(?P<{about}>{words})" for about, words in _CUES.items()))
ANY_CUE = "(?i:" + "|".join(words for about, words in _CUES.items() if about != "nothing") + ")"
"""A pattern of all cues, for a quick test."""
_BEFORE, _AFTER = 6, 3
"""The number of cues before and after a value that are examined, to limit work in a text full of cues."""

LISTS = word_lists("masking")
"""The words of `masking.txt`, by the name of their list."""
LINKS = LISTS["links"]
"""Words before a secret."""
ITS = these("it's its it’s is was es era son c'est c’est è é sind ist lautet")
"""The links that assign a value."""
OF_HAND = these("its it's it’s c'est c’est use uso need son put with mit con avec met com")
"""Links between a number and the name of the thing that it opens after it."""
CHANGE_LINKS = these("to from auf von zu in a de en par à por da per para naar van old new alt neu")
"""Words before a secret in a sentence about a change."""
BETWEEN = LISTS["between"]
"""Words that may be between a link and a secret."""
OTHER = LISTS["other"]
"""Names of other values than secrets."""
COMMON = these("something anything nothing everything these those their numbers letters words google chrome")
"""Words that nobody uses as a password."""
FUNCTION = LISTS["function"]
"""Words that join others in a sentence."""
ORDINARY = FUNCTION | LISTS["ordinary"]
"""First words of an ordinary sentence after `the password is`."""
DEMANDS = these("must too not please your enter invalid wrong incorrect should use muss zu debe doit deve moet")
"""First words of a form's text about passwords."""
TYPING = tuple(
    these("press punch type typing enter dial key tap tipp drück marc marqu puls tecle digit compos tape toets druk")
)
"""Beginnings of verbs of typing."""
NO_PASSWORD = LISTS["no password"]
"""Words about passwords, besides ordinary words, and types and placeholders of programs."""
USES = LISTS["uses"]
"""Words other than passwords that follow a password's name, or the news that it changed."""


class Cue(NamedTuple):
    """A word about secrets, from *start* to *end* in a text."""

    start: int
    end: int
    about: About


def cues_in(text: str) -> list[Cue]:
    """Return the cues in *text*, in order. Cues in masks and cues without a secret (`zip code`) are left out."""
    found = (Cue(one.start(), one.end(), one.lastgroup) for one in CUES.finditer(text))
    return outside_masks(text, (cue for cue in found if cue.about != "nothing"))


def near(cues: Sequence[Cue], start: int, end: int) -> Sequence[Cue]:
    """Return the last of *cues* before the characters from *start* to *end*, and the first one after them."""
    return cues[max(0, bisect_left(cues, (start,)) - _BEFORE) : bisect_left(cues, (end,)) + _AFTER]
