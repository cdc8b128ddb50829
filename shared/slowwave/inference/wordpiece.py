"""The numbers of a text's tokens, as in BERT's uncased tokenizer; needs a vocabulary and no other library."""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from itertools import chain

from slowwave.inference.characters import DROPPED, HAN, MARKS, SIGNS

LONGEST_WORD = 100
"""Longer words, in characters, are not split into pieces: the whole word is unknown."""
CACHED_WORDS = 65_536
CACHED_LENGTH = 32
"""The longest words, in characters, whose tokens are cached; longer words are rarely repeated."""

_DROPPED, _MARKS = re.compile(f"[{DROPPED}]+"), re.compile(f"[{MARKS}]+")
_SIGN, _HAN = re.compile(f"([{SIGNS}])"), re.compile(f"([{HAN}])")
_ASCII = re.compile(r"[0-9a-z]+|[!-/:-@\[-`{-~]")


class WordPiece:
    """The tokenizer for a *vocabulary*; *special* tokens are recognised literally in a text.

    Safe to share between threads: a word has the same tokens in every thread.
    """

    def __init__(self, vocabulary: Mapping[str, int], *, unknown: int, special: Mapping[str, int]) -> None:
        self.unknown = unknown
        self._vocabulary = vocabulary
        self._special = {name: [number] for name, number in special.items()}
        self._named = re.compile("(" + "|".join(map(re.escape, special)) + ")")
        self._remembered = lru_cache(maxsize=CACHED_WORDS)(self._of_word)

    def __call__(self, text: str) -> list[int]:
        """Return the numbers of the tokens of *text*, in order."""
        parts = self._named.split(text)
        return [number for part in parts for number in self._special.get(part) or self._of_plain(part)]

    def _of_plain(self, text: str) -> list[int]:
        words = _DROPPED.sub("", text).split()
        if max(map(len, words), default=0) > CACHED_LENGTH:
            return [number for word in words for number in self._of_any(word)]
        return list(chain.from_iterable(map(self._remembered, words)))

    def _of_any(self, word: str) -> tuple[int, ...]:
        return self._remembered(word) if len(word) <= CACHED_LENGTH else self._of_word(word)

    def _of_word(self, word: str) -> tuple[int, ...]:
        return tuple(chain.from_iterable(map(self._pieces, _parts(word))))

    def _pieces(self, part: str) -> list[int]:
        """Return the longest known prefix of *part*, then the longest known piece after it, and so on."""
        if len(part) > LONGEST_WORD:
            return [self.unknown]
        found: list[int] = []
        begin, mark = 0, ""
        while begin < len(part):
            known = (end for end in range(len(part), begin, -1) if mark + part[begin:end] in self._vocabulary)
            end = next(known, None)
            if end is None:
                return [self.unknown]
            found.append(self._vocabulary[mark + part[begin:end]])
            begin, mark = end, "##"
        return found


def _parts(word: str) -> list[str]:
    """Return the parts of a word in lower case without accents; each sign and Han character is a part."""
    if word.isascii():
        return _ASCII.findall(word.lower())
    apart = unicodedata.normalize("NFD", _HAN.sub(r" \1 ", word))
    plain = _MARKS.sub("", apart).replace("Σ", "σ").lower()  # Python writes another sigma at the end of a word
    return _SIGN.sub(r" \1 ", plain).split()
