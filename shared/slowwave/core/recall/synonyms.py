"""Near synonyms of a question's words: how much of a word's meaning another word has."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache

from slowwave.core.graph.relations import stem
from slowwave.core.predicates.english import FUNCTION_WORDS, these

MOST_NEAR = 24
"""The most near synonyms of a word, by distinct stems: on dialogue, 12 are as good within .004."""

FLOOR = 0.35
"""The least cosine of near synonyms; "hobby" and "painting" have .4."""

SAYS = 0.7
"""The weight of a perfect synonym: less than the word itself, on a plateau from .5 to .85."""

MOST_ASKED = 32
"""The words of a question that get near synonyms; of a longer text, its beginning."""

REMEMBERED = 8_192
"""The cached texts with their words: the same memories answer again."""

_WORD = re.compile(r"[a-z]{3,32}")
_ANY = re.compile(r"[^\W_]{1,32}")
_LITTLE = FUNCTION_WORDS | these(
    """after because before both d doing don few get getting go goes going got isn kind ll m many may much now one only
    re s sort still t two type under ve went while will"""
)


@dataclass(frozen=True, slots=True)
class ContentWord:
    """A content word of a text, with its *stem*. An *exact* one is a name or a number, which has no near synonyms."""

    word: str
    stem: str
    exact: bool = False


@dataclass(slots=True)
class NearWords:
    """The near synonyms of *of*, a word as the question writes it, each with its weight, which is below 1.

    It never changes; it is not frozen, to be made faster.
    """

    of: str
    weights: Mapping[str, float]


def words_of(question: str) -> list[str]:
    """Return the distinct words of a question that may have near synonyms, in lower case, in order.

    >>> words_of("What's my sister's hobby?")
    ['what', 'sister', 'hobby']
    """
    return list(dict.fromkeys(_WORD.findall(question.lower())))[:MOST_ASKED]


def content_words(text: str, without: Collection[str] = ()) -> list[ContentWord]:
    """Return the distinct content words of *text*, in order, except those in *without*.

    A capitalised word within a sentence counts as a name.

    >>> [(one.word, one.exact) for one in content_words("Which pet did Ann's boss sell for 20?", {"ann"})]
    [('pet', False), ('boss', False), ('sell', False), ('20', True)]
    """
    return [one for one in _content_words(text) if one.word not in without][:MOST_ASKED]


@lru_cache(maxsize=REMEMBERED)
def _content_words(text: str) -> tuple[ContentWord, ...]:
    found: dict[str, ContentWord] = {}
    for at, match in enumerate(_ANY.finditer(text)):
        word = match[0].casefold()
        if word not in _LITTLE and word not in found:
            exact = word[0].isdigit() or (at > 0 and match[0][0].isupper())
            found[word] = ContentWord(word, stem(word), exact)
    return tuple(found.values())
