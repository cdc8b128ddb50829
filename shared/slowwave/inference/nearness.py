"""Words that mean nearly the same, by the word vectors that ship with the package."""

import threading
from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from slowwave.core.recall.nearness import FLOOR, SAYS, NearWord
from slowwave.inference.embedder import WEIGHTS, word_vectors

LOOKED_AT = 48
"""The nearest words of each: of many the stems are the same."""

COARSE, CHOSEN = 64, 512
"""The first numbers of a vector say the most: by them so many words are chosen, of which all numbers are compared."""

REMEMBERED = 8_192
"""Words that are remembered with those near them: who talks to an agent asks in the same words again."""


class WordNearness:
    """A `Nearness` of English words; a word that the vocabulary does not have whole has none near it.

    Deterministic and safe to share between threads. The table takes 28 MB once it is asked; a word that was not asked
    about before takes about 1 ms.
    """

    def __init__(self, weights: Path = WEIGHTS) -> None:
        self._weights = weights
        self._loading = threading.Lock()
        self._remembered = lru_cache(maxsize=REMEMBERED)(self._of)

    def near(self, words: Sequence[str]) -> list[NearWord]:
        """Return those of the vocabulary near each of *words*, at most 48 of each, the nearest first."""
        return [near for word in words for near in self._remembered(word)]

    @cached_property
    def _table(self) -> "_Table":
        return _Table(*word_vectors(self._weights))

    def _of(self, word: str) -> tuple[NearWord, ...]:
        with self._loading:
            table = self._table
        return tuple(NearWord(word, other, SAYS * cosine) for other, cosine in table.nearest(word))


class _Table:
    """Words and their vectors, less what all words have in common: that says nothing of any."""

    def __init__(self, words: list[str], vectors: npt.NDArray[np.float32]) -> None:
        vectors -= vectors.mean(axis=0)
        self._words = words
        self._numbers = {word: number for number, word in enumerate(words)}
        self._whole = _of_length_one(vectors)
        self._coarse = _of_length_one(np.ascontiguousarray(vectors[:, :COARSE]))

    def nearest(self, word: str) -> list[tuple[str, float]]:
        """Return the words nearest to *word* with their cosines, the nearest first."""
        if (number := self._numbers.get(word)) is None:
            return []
        rough = self._coarse @ self._coarse[number]
        some = np.argpartition(-rough, CHOSEN)[:CHOSEN]
        cosines = self._whole[some] @ self._whole[number]
        found = [
            (self._words[one], cosine) for one, cosine in zip(some, cosines.tolist(), strict=True) if one != number
        ]
        best = sorted(found, key=lambda each: (-each[1], each[0]))[:LOOKED_AT]
        return [(other, cosine) for other, cosine in best if cosine >= FLOOR]


def _of_length_one(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    one: npt.NDArray[np.float32] = rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-32)
    return one


@cache
def shipped() -> WordNearness:
    """Return the one of this process."""
    return WordNearness()
