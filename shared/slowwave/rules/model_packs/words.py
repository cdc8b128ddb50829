"""Words of a claim compared with words that were said: content words, and their presence in a text."""

import re
from collections.abc import Iterable, Sequence

from slowwave.core.predicates import english

EMPTY = english.FUNCTION_WORDS | english.these(
    """really down s t d ll ve re m der die das ein eine und oder ist sind war ich du er sie es wir ihr mein meine zu
    mit von auf im le la les un une des de et est je tu il elle nous vous mon ma mes el los las y mi mis en con por para
    que"""
)
"""Function words of the common languages: they cannot be made up."""
NUMBERS = {word: str(number) for word, number in english.NUMBERS.items()}
STEM = 4
"""The least letters that two forms of a word share: `relax` and `relaxing`, never `tea` and `team`."""
_SHORTEST = 3
"""The least letters of a word that may have a plural: `cat`, never `a`."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SPACELESS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def content(text: str) -> list[str]:
    """Return the content words of *text*, in order, in lower case.

    >>> content("She is from Nora's town")
    ['nora', 'town']
    """
    return [word for word in map(_bare, _WORD.findall(text)) if word not in EMPTY]


def names(text: str) -> list[str]:
    """Return the words of *text* that are written like names or numbers, in lower case.

    >>> names("went to Oslo on 3 May")
    ['oslo', '3', 'may']
    """
    found = (word for word in _WORD.findall(text) if word[0].isupper() or any(one.isdigit() for one in word))
    return [word for word in map(_bare, found) if word not in EMPTY]


def _bare(word: str) -> str:
    small = word.casefold().replace("’", "'")
    return small.partition("'")[0] if small.endswith(("'s", "'")) else small.replace("'", "")


def _told(text: str) -> frozenset[str]:
    words = {_bare(word) for word in _WORD.findall(text.casefold())}
    return frozenset(words | {part for word in words if "-" in word for part in word.split("-")})


def name_of(predicate: str) -> str:
    """Return a predicate in its registered form: `lives in` is `lives_in`."""
    return "_".join(re.findall(r"\w+", predicate.casefold().replace("_", " ")))


def head_of(name: str) -> str:
    """Return the name of somebody, a place or the like without what a clause adds to it.

    >>> head_of("York with her cousin Bex"), head_of("Avonside Court in Keynsham")
    ('York', 'Avonside Court in Keynsham')
    """
    return _ADDED.split(name, maxsplit=1)[0]


_ADDED = re.compile(r",? (?:with|together with|as|who|which) ", re.IGNORECASE)


class Lexicon:
    """The words of texts, each text split only once."""

    def __init__(self) -> None:
        self._known: dict[str, frozenset[str]] = {}

    def of(self, texts: Iterable[str]) -> "SourceWords":
        """Return the words of all *texts* together."""
        told = list(texts)
        for text in told:
            if text not in self._known:
                self._known[text] = _told(text)
        return SourceWords(told, frozenset().union(*(self._known[text] for text in told)))


class SourceWords:
    """The words of *texts*."""

    def __init__(self, texts: Sequence[str], words: frozenset[str] | None = None) -> None:
        self._texts = texts
        self.words = frozenset().union(*map(_told, texts)) if words is None else words
        self._stems: dict[str, list[str]] | None = None

    def has(self, word: str) -> bool:
        """Return whether the text contains *word* (lower case): as a whole word, a number, or in a script without
        spaces.
        """
        if word in self.words or NUMBERS.get(word, word) in self.words:
            return True
        if _SPACELESS.search(word):
            return any(word in text.casefold() for text in self._texts)
        return any(NUMBERS.get(other) == word for other in self.words) if word.isdigit() else False

    def has_form(self, word: str) -> bool:
        """Return whether the text contains a form of *word*."""
        if self.has(word) or (len(word) >= _SHORTEST and (self.has(word.removesuffix("s")) or self.has(f"{word}s"))):
            return True
        return len(word) >= STEM and any(_akin(word, other) for other in self._like(word[:STEM]))

    def _like(self, beginning: str) -> Sequence[str]:
        """The words with the same beginning."""
        if self._stems is None:
            self._stems = {}
            for word in self.words:
                self._stems.setdefault(word[:STEM], []).append(word)
        return self._stems.get(beginning, ())

    def share(self, words: Sequence[str]) -> float:
        """Return the share of *words* that the text contains in some form; 1 if there are none."""
        return sum(map(self.has_form, words)) / len(words) if words else 1.0


def _akin(one: str, other: str) -> bool:
    """Return whether two words differ only in their endings: at most three letters of the shorter, or a plural s."""
    if one.removesuffix("s") == other.removesuffix("s"):
        return True
    shared = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    shorter, longer = sorted((len(one), len(other)))
    return shared >= max(STEM, shorter - 3) and longer - shared <= 5
