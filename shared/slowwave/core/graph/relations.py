"""The relations that the words of a question name: predicates by their names, their sentences and what they are of."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from slowwave.core.beliefs.identity import normal
from slowwave.core.predicates import Predicates

KIND_SHARE = 0.5
"""What the kind of an object counts for beside the relation's own words: *which city* names no relation by itself."""
SURE = 0.5
"""The share of a name from which it is named: *chief executive* of `chief_executive_officer`, not *chief* alone."""

_FIELD = re.compile(r"\{\w+\}")
_WORD = re.compile(r"[^\W_]+")
_ENDINGS = re.compile(
    r"(?:ships?|ments?|ations?|ated|ates?|ating|ings?|ions?|ious|ors?|ers?|ies|ied|ed|es|s|al|ity|ly|y|e)$"
)
_LEAST = 4
"""Letters that are left of a word at least: shorter stems of different words are the same."""
_FUNCTION_WORDS = """
a an the of in on at by to for with from as and or but not no is are was were be been being has have had do does did who
whom whose which what where when why how that this these those it its he she his her him they their them i me my we our
us you your name named called current currently person someone somebody thing there same so
"""
_SAY_NOTHING = frozenset(_FUNCTION_WORDS.split())

Words = frozenset[str]
"""The stems of a name or a sentence."""


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Return what *word* shares with others of its family, in small letters.

    >>> [stem(word) for word in ("citizenship", "performer", "performed", "education", "educated", "died")]
    ['citizen', 'perform', 'perform', 'educ', 'educ', 'die']
    """
    word = word.casefold()
    while (found := _ENDINGS.search(word)) and found.start() >= _LEAST:
        word = word[: found.start()]
    return word[:-1] if word.endswith(("ed", "es")) else word


def stems(text: str) -> list[str]:
    """Return the stems of the words of *text* that say something, in order.

    >>> stems("Who is the author of it?")
    ['auth']
    """
    return [stem(word) for word in _WORD.findall(normal(text)) if word not in _SAY_NOTHING]


@dataclass(frozen=True, slots=True)
class Relation:
    """A predicate as questions may name it: by any of its *names*, and by the *kind* of what it is of."""

    names: tuple[Words, ...]
    kind: Words = frozenset()


def relation_of(name: str, predicates: Predicates) -> Relation:
    """Return how questions name the predicate *name*: as it is called in any way, and as its sentence says it."""
    known = predicates.of(name)
    own = predicates.rest(name) if known.open else name
    said = [
        own,
        *known.aliases,
        *known.kinds,
        *known.asked,
        _FIELD.sub(" ", known.says or "") if not known.open else "",
    ]
    names = dict.fromkeys(frozenset(stems(one.replace("_", " "))) for one in said)
    return Relation(tuple(one for one in names if one), frozenset(stems(known.object or "")))


class Relations:
    """The registered relations between which a question's words tell; the rarer a word is in them, the more it tells.

    A relation that is not registered is known by its name alone.
    """

    def __init__(self, predicates: Predicates) -> None:
        self._predicates = predicates
        self._of = {one.name: relation_of(one.name, predicates) for one in predicates.registered if not one.open}
        held = Counter(word for one in self._of.values() for word in frozenset().union(*one.names))
        self._weights = {word: math.log(1 + len(self._of) / count) for word, count in held.items()}
        self._unheld = math.log(2 + len(self._of))

    def weight(self, word: str) -> float:
        """Return how much a stem tells of which relation is meant; 0 where it names none that is registered."""
        return self._weights.get(word, 0.0)

    def whole(self, asked: Iterable[str], told: Words) -> float:
        """Return how much the stems *asked* tell in all, of which some *told* of relations that are not registered."""
        return sum(self._weights.get(word, self._unheld if word in told else 0.0) for word in asked)

    def named(self, asked: Collection[str]) -> list[str]:
        """Return the registered relations that the stems *asked* name, in the order of the alphabet."""
        words = frozenset(asked)
        return sorted(name for name in self._of if self.match(name, words)[0] > 0)

    def match(self, name: str, asked: Words) -> tuple[float, Words]:
        """Return how much the stems *asked* tell that the relation *name* is meant, and which of them do."""
        one = self._of.get(name)
        if one is None:
            one = self._of[name] = relation_of(name, self._predicates)
        found: set[str] = set()
        for words in one.names:
            here = words & asked
            if here and self._sum(here) >= SURE * self._sum(words):
                found |= here
        if not found:
            return 0.0, frozenset()
        kind = (one.kind & asked) - found
        return self._sum(found) + KIND_SHARE * self._sum(kind), frozenset(found | kind)

    def _sum(self, words: Iterable[str]) -> float:
        return sum(self._weights.get(word, self._unheld) for word in sorted(words))


@lru_cache(maxsize=8)
def relations_of(predicates: Predicates) -> Relations:
    """Return the relations of a registry, which are made once."""
    return Relations(predicates)


def left(asked: Sequence[str], taken: Iterable[str]) -> list[str]:
    """Return *asked* without *taken*, each as often as it stands there."""
    rest = Counter(taken)
    kept = []
    for word in asked:
        if rest[word]:
            rest[word] -= 1
        else:
            kept.append(word)
    return kept
