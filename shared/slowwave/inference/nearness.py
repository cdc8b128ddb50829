"""Words that mean nearly the same, by the word vectors that ship with the package."""

import threading
from collections.abc import Collection, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from slowwave.core.recall.nearness import FLOOR, SAYS, NearWord, Telling, telling
from slowwave.inference.embedder import SPACE, WEIGHTS, word_vectors

LOOKED_AT = 48
"""The nearest words of each: of many the stems are the same."""

COARSE, CHOSEN = 64, 512
"""The first numbers of a vector say the most: by them so many words are chosen, of which all numbers are compared."""

REMEMBERED = 8_192
"""Words that are remembered with those near them: who talks to an agent asks in the same words again. And so many texts
with their words: the same facts answer again."""

STRANGERS, SAME = 0.2, 0.8
"""The cosine up to which a word says nothing of another in a text, and that from which it says all of it."""

COMMON, LEAST_TOLD, UNKNOWN_TOLD = 50.0, 10.0, 80.0
"""The model writes rare words long: a word tells as much as its length exceeds that of the commonest, and something in
any case. A word that it does not know whole tells about as much as most names."""


class WordNearness:
    """A `Nearness` of English words; a word that the vocabulary does not have whole has none near it.

    Deterministic and safe to share between threads. The table takes 28 MB once it is asked; a word that was not asked
    about before takes about 1 ms.
    """

    def __init__(self, weights: Path = WEIGHTS) -> None:
        self._weights = weights
        self._loading = threading.Lock()
        self._remembered = lru_cache(maxsize=REMEMBERED)(self._of)
        self._read = lru_cache(maxsize=REMEMBERED)(self._words)

    @property
    def space(self) -> str:
        return SPACE

    def near(self, words: Sequence[str]) -> list[NearWord]:
        """Return those of the vocabulary near each of *words*, at most 48 of each, the nearest first."""
        return [near for word in words for near in self._remembered(word)]

    def says(self, question: str, texts: Sequence[str], without: Collection[str] = ()) -> list[float]:
        """Return how much of the words of *question*, one by one, each of *texts* says, in [0, 1].

        Of each word the nearest of a text counts, by how near it is, and as much as the word tells. Names and numbers
        are said by themselves alone. The words *without* do not count.
        """
        asked = telling(question, without)
        if not asked or not texts:
            return [0.0] * len(texts)
        table, read = self._loaded(), [self._read(text) for text in texts]
        told = np.array([table.told(one.word) for one in asked])
        said = table.nearest_of(asked, [numbers for _, numbers in read])
        for column, one in enumerate(asked):
            said[[one.stem in stems for stems, _ in read], column] = 1.0
        shares: list[float] = (said @ (told / told.sum())).round(6).tolist()
        return shares

    @cached_property
    def _table(self) -> "_Table":
        return _Table(*word_vectors(self._weights))

    def _loaded(self) -> "_Table":
        with self._loading:
            return self._table

    def _of(self, word: str) -> tuple[NearWord, ...]:
        return tuple(NearWord(word, other, SAYS * cosine) for other, cosine in self._loaded().nearest(word))

    def _words(self, text: str) -> tuple[frozenset[str], list[int]]:
        """The stems of a text, and the numbers of its words."""
        words, table = telling(text), self._loaded()
        numbers = [number for one in words if (number := table.numbers.get(one.word)) is not None]
        return frozenset(one.stem for one in words), numbers


class _Table:
    """Words and their vectors, less what all words have in common: that says nothing of any."""

    def __init__(self, words: list[str], vectors: npt.NDArray[np.float32]) -> None:
        self._lengths = np.linalg.norm(vectors, axis=1)
        vectors -= vectors.mean(axis=0)
        self._words = words
        self.numbers = {word: number for number, word in enumerate(words)}
        self._whole = _of_length_one(vectors)
        self._coarse = _of_length_one(np.ascontiguousarray(vectors[:, :COARSE]))

    def nearest(self, word: str) -> list[tuple[str, float]]:
        """Return the words nearest to *word* with their cosines, the nearest first."""
        if (number := self.numbers.get(word)) is None:
            return []
        rough = self._coarse @ self._coarse[number]
        some = np.argpartition(-rough, CHOSEN)[:CHOSEN]
        cosines = self._whole[some] @ self._whole[number]
        found = [
            (self._words[one], cosine) for one, cosine in zip(some, cosines.tolist(), strict=True) if one != number
        ]
        best = sorted(found, key=lambda each: (-each[1], each[0]))[:LOOKED_AT]
        return [(other, cosine) for other, cosine in best if cosine >= FLOOR]

    def told(self, word: str) -> float:
        """Return how much a word tells: a rare one more."""
        if (number := self.numbers.get(word)) is None:
            return UNKNOWN_TOLD
        return max(LEAST_TOLD, float(self._lengths[number]) - COMMON)

    def nearest_of(self, asked: Sequence[Telling], texts: Sequence[Sequence[int]]) -> npt.NDArray[np.float64]:
        """Return for each of *texts*, by its words' numbers, how much the nearest of them says of each word *asked*."""
        said = np.zeros((len(texts), len(asked)))
        sought = [
            (column, number)
            for column, one in enumerate(asked)
            if not one.exact and (number := self.numbers.get(one.word)) is not None
        ]
        filled = [row for row, numbers in enumerate(texts) if numbers]
        if not sought or not filled:
            return said
        words, at = np.unique(np.concatenate([texts[row] for row in filled]), return_inverse=True)
        cosines = self._whole[words] @ self._whole[[number for _, number in sought]].T
        lengths = np.array([len(texts[row]) for row in filled])
        best = np.maximum.reduceat(cosines[at], np.cumsum(lengths) - lengths)
        said[np.ix_(filled, [column for column, _ in sought])] = ((best - STRANGERS) / (SAME - STRANGERS)).clip(0, 1)
        return said


def _of_length_one(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    one: npt.NDArray[np.float32] = rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-32)
    return one


@cache
def shipped() -> WordNearness:
    """Return the one of this process."""
    return WordNearness()
