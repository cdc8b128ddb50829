"""Relations and entities that the words of a question name."""

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from slowwave.core.beliefs.identity import normal
from slowwave.core.predicates import Predicates
from slowwave.core.predicates.english import TEXTS, these

_WORD_OF_NAME = re.compile(r"[^\W_]+(?:['’&.@/+-][^\W_]+)*\+*")
_BETWEEN = re.compile(r"\.?\s{1,3}|-")
"""The gap between two words of one name."""
_WITHIN_NAMES = re.compile(r"[,:]\s{1,3}")
"""The gap between two parts of one name, for example in "University of California, Berkeley"."""
_ITS = re.compile(r"['’]s?$")
_ME = {"i": "user", "me": "user", "my": "user", "mine": "user", "myself": "user"}

_MINE = ("my", "our")
"""Possessives of the speaker. "My sister" is the user's sister."""

LONGEST = 8
"""The maximum number of words of a name in a question."""
MOST_WORDS = 200
"""The number of words of a question that are searched for names. An entity that is named later is found only by
similarity."""

Span = tuple[int, int]
"""The start and end of a name in a question."""
KIND_SHARE = 0.5
"""The weight of an object's kind relative to the relation's own words, because "which city" alone names no relation."""
SURE = 0.5
"""The least share of a name that must match. "Chief executive" matches `chief_executive_officer`, but "chief" does
not."""
_FIELD = re.compile(r"\{\w+\}")
_WORD = re.compile(r"[^\W_]+")
_ENDINGS = re.compile(
    r"(?:ships?|ments?|ations?|ated|ates?|ating|ings?|ions?|ious|ors?|ers?|ies|ied|ed|es|s|al|ity|ly|y|e)$"
)
_LEAST = 4
"""The fewest letters of a stem, because shorter stems of different words are equal."""
_SAY_NOTHING = these(TEXTS["no relations"])
Words = frozenset[str]
"""The stems of a name or a sentence."""


def named_in(question: str) -> list[str]:
    """Return the possible names in *question*, without repeats.

    They are runs of its words, and "user" for a first person.

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
    words = list(_WORD_OF_NAME.finditer(question))[:MOST_WORDS]
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
    """Return the names of *found* that are not inside a longer name.

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


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Return the common part of *word* and related words, in lower case.

    >>> [stem(word) for word in ("citizenship", "performer", "performed", "education", "educated", "died")]
    ['citizen', 'perform', 'perform', 'educ', 'educ', 'die']
    """
    word = word.casefold()
    while (found := _ENDINGS.search(word)) and found.start() >= _LEAST:
        word = word[: found.start()]
    return word[:-1] if word.endswith(("ed", "es")) else word


def stems(text: str) -> list[str]:
    """Return the stems of the content words of *text*, in order.

    >>> stems("Who is the author of it?")
    ['auth']
    """
    return [stem(word) for word in _WORD.findall(normal(text)) if word not in _SAY_NOTHING]


@dataclass(frozen=True, slots=True)
class Relation:
    """A predicate as questions may name it, by any of its *names* or by the *kind* of its object."""

    names: tuple[Words, ...]
    kind: Words = frozenset()


def relation_of(name: str, predicates: Predicates) -> Relation:
    """Return the words by which questions name the predicate *name*, from its names, kinds, `asked` words and sentence.

    >>> from slowwave.core.predicates import Predicate
    >>> boss = Predicate("boss", asked=("report_to",), kinds=("chief",))
    >>> [sorted(words) for words in relation_of("boss", Predicates([boss])).names]
    [['boss'], ['chief'], ['report']]
    """
    known = predicates.of(name)
    own = predicates.rest(name) if known.open else name
    phrases = [
        own,
        *known.aliases,
        *known.kinds,
        *known.asked,
        _FIELD.sub(" ", known.says or "") if not known.open else "",
    ]
    names = dict.fromkeys(frozenset(stems(one.replace("_", " "))) for one in phrases)
    return Relation(tuple(one for one in names if one), frozenset(stems(known.object or "")))


class Relations:
    """The registered relations that a question may mean. A word weighs more if fewer relations have it.

    An unregistered relation is known only by its name.
    """

    def __init__(self, predicates: Predicates) -> None:
        self._predicates = predicates
        self._of = {one.name: relation_of(one.name, predicates) for one in predicates.registered if not one.open}
        self._having: dict[str, set[str]] = defaultdict(set)
        for name in self._of:
            self._find(name)
        counts = {word: len(names) for word, names in self._having.items()}
        self._weights = {word: math.log(1 + len(self._of) / count) for word, count in counts.items()}
        self._unheld = math.log(2 + len(self._of))

    def weight(self, word: str) -> float:
        """Return the weight of a stem, which is higher for rarer stems, and 0 if no registered relation has it."""
        return self._weights.get(word, 0.0)

    def whole(self, asked: Iterable[str], matched: Words) -> float:
        """Return the total weight of the stems *asked*.

        A stem that no registered relation has counts only if *matched* contains it.
        """
        return sum(self._weights.get(word, self._unheld if word in matched else 0.0) for word in asked)

    def named(self, asked: Collection[str]) -> list[str]:
        """Return the registered relations that the stems *asked* name, in alphabetical order."""
        words = frozenset(asked)
        maybe = {name for word in words for name in self._having.get(word, ())}
        return sorted(name for name in maybe if self.match(name, words)[0] > 0)

    def match(self, name: str, asked: Words) -> tuple[float, Words]:
        """Return how strongly the stems *asked* name the relation *name*, as a weight, and the matching stems."""
        one = self._of.get(name)
        if one is None:
            one = self._of[name] = relation_of(name, self._predicates)
            self._find(name)
        found: set[str] = set()
        for words in one.names:
            here = words & asked
            if here and self._sum(here) >= SURE * self._sum(words):
                found |= here
        if not found:
            return 0.0, frozenset()
        kind = (one.kind & asked) - found
        return self._sum(found) + KIND_SHARE * self._sum(kind), frozenset(found | kind)

    def _find(self, name: str) -> None:
        for word in frozenset().union(*self._of[name].names):
            self._having[word].add(name)

    def _sum(self, words: Iterable[str]) -> float:
        return sum(self._weights.get(word, self._unheld) for word in sorted(words))


@lru_cache(maxsize=8)
def relations_of(predicates: Predicates) -> Relations:
    """Return the relations of a registry, from a cache."""
    return Relations(predicates)


def left(asked: Sequence[str], taken: Iterable[str]) -> list[str]:
    """Return *asked* without *taken*. Each stem of *taken* removes one occurrence."""
    remaining = list(asked)
    for word in taken:
        if word in remaining:
            remaining.remove(word)
    return remaining
