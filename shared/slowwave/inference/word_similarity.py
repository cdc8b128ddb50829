"""Words with nearly the same meaning, found by the word vectors that ship with the package."""

import threading
from collections.abc import Collection, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from slowwave.core.recall.synonyms import FLOOR, SAYS, ContentWord, NearWords, content_words
from slowwave.inference.static_embedder import SPACE, WEIGHTS, word_vectors

LOOKED_AT = 48
"""The number of nearest words that are read for each word. Many of these words share a stem."""

COARSE, CHOSEN = 64, 512
"""The numbers of a vector for a rough comparison, and the words chosen by it. The first 64 numbers of a vector matter
most: they choose the 512 words whose full vectors are compared.
"""

ROUGH = 0.2
"""The least rough cosine of the words that are sorted, if there are enough such words. Most words have a lower cosine.
"""

ALONE = 2**18
"""The maximum number of multiplications of a matrix product in one thread. Larger products start a thread per core."""

REMEMBERED = 8_192
"""The number of words that are cached with the words near them, because users repeat words. As many texts are cached
with their words, because the same facts answer again.
"""

STRANGERS, SAME = 0.2, 0.8
"""Two cosines. Up to the first cosine, two words count as unrelated; from the second cosine on, they count as the same.
"""

COMMON, LEAST_WEIGHT, UNKNOWN_WEIGHT = 50.0, 10.0, 80.0
"""The weights of words. The model gives rare words long vectors: the weight of a word is the length of its vector minus
50, which is about the length for the commonest word. The least weight is 10. A word outside the vocabulary has the
weight 80, about as much as most names.
"""


class WordNearness:
    """Gives the English words that mean nearly the same as a word. A word outside the vocabulary has no near words.

    It is deterministic, and safe to share between threads. The table takes 28 MB after the first use. A lookup of words
    that are not cached takes about 0.3 ms, plus 0.1 ms for each word.
    """

    def __init__(self, weights: Path = WEIGHTS) -> None:
        self._weights = weights
        self._loading = threading.Lock()
        self._remembered: dict[str, NearWords] = {}
        self._read = lru_cache(maxsize=REMEMBERED)(self._words)

    @property
    def space(self) -> str:
        return SPACE

    def near(self, words: Sequence[str]) -> list[NearWords]:
        """Return, for each of *words*, at most 48 words of the vocabulary with a similar meaning, nearest first.

        If a word has no similar words, it is left out.
        """
        found = {word: self._remembered.get(word) for word in words}
        if new := [word for word, near in found.items() if near is None]:
            if len(self._remembered) > REMEMBERED:
                self._remembered.clear()
            looked_up = dict(zip(new, self._of(new), strict=True))
            self._remembered.update(looked_up)
            found.update(looked_up)
        return [near for word in words if (near := found[word]) is not None and near.weights]

    def says(self, question: str, texts: Sequence[str], without: Collection[str] = ()) -> list[float]:
        """Return, for each of *texts*, the share of *question* that the text covers, in [0, 1].

        This is the weighted mean, over the words of the question, of the similarity to the nearest word of the text.
        Names and numbers match only themselves. The words in *without* are not counted.
        """
        asked = content_words(question, without)
        if not asked or not texts:
            return [0.0] * len(texts)
        table, read = self._loaded(), [self._read(text) for text in texts]
        weights = np.array([table.weight(one.word) for one in asked])
        similarities = table.nearest_of(asked, [numbers for _, numbers in read])
        for column, one in enumerate(asked):
            similarities[[one.stem in stems for stems, _ in read], column] = 1.0
        shares: list[float] = (similarities @ (weights / weights.sum())).round(6).tolist()
        return shares

    @cached_property
    def _table(self) -> "_Table":
        return _Table(*word_vectors(self._weights))

    def _loaded(self) -> "_Table":
        with self._loading:
            return self._table

    def _of(self, words: Sequence[str]) -> list[NearWords]:
        each = zip(words, self._loaded().nearest(words), strict=True)
        return [NearWords(word, {other: SAYS * cosine for other, cosine in near}) for word, near in each]

    def _words(self, text: str) -> tuple[frozenset[str], npt.NDArray[np.intp]]:
        """Return the stems of a text, and the vocabulary numbers of its words."""
        words, table = content_words(text), self._loaded()
        numbers = [number for one in words if (number := table.numbers.get(one.word)) is not None]
        return frozenset(one.stem for one in words), np.array(numbers, np.intp)


class _Table:
    """Words and their vectors. The mean vector of all words carries no meaning, and is subtracted from each vector."""

    def __init__(self, words: list[str], vectors: npt.NDArray[np.float32]) -> None:
        self._lengths = _lengths(vectors)
        vectors -= vectors.mean(axis=0)
        self._words = words
        self.numbers = {word: number for number, word in enumerate(words)}
        coarse = np.ascontiguousarray(vectors[:, :COARSE])
        self._coarse = np.ascontiguousarray(_of_length_one(coarse).T)
        self._whole = _of_length_one(vectors)

    def nearest(self, words: Sequence[str]) -> list[list[tuple[str, float]]]:
        """Return the nearest words for each of *words*, with their cosines, the nearest word first."""
        known = [number for word in words if (number := self.numbers.get(word)) is not None]
        rough = dict(zip(known, self._rough(known), strict=True)) if known else {}
        return [
            self._nearest(number, rough[number]) if (number := self.numbers.get(word)) is not None else []
            for word in words
        ]

    def _rough(self, numbers: Sequence[int]) -> npt.NDArray[np.float32]:
        """Return the approximate cosine of every word to each of *numbers*, from the first dimensions."""
        ours = np.ascontiguousarray(self._coarse[:, numbers].T)
        step = max(1, ALONE // ours.size)
        every = range(0, len(self._words), step)
        return np.concatenate([ours @ self._coarse[:, at : at + step] for at in every], axis=1)

    def _nearest(self, number: int, rough: npt.NDArray[np.float32]) -> list[tuple[str, float]]:
        some = np.flatnonzero(rough > ROUGH)
        if len(some) < CHOSEN:
            some = np.arange(len(rough))
        some = some[np.argpartition(-rough[some], CHOSEN - 1)[:CHOSEN]]
        cosines = np.vecdot(self._whole[some], self._whole[number]).astype(np.float64)
        near = np.flatnonzero((cosines >= FLOOR) & (some != number))
        found = [
            (self._words[one], cosine) for one, cosine in zip(some[near].tolist(), cosines[near].tolist(), strict=True)
        ]
        return sorted(found, key=lambda each: (-each[1], each[0]))[:LOOKED_AT]

    def weight(self, word: str) -> float:
        """Return the weight of a word. A rarer word has a higher weight."""
        if (number := self.numbers.get(word)) is None:
            return UNKNOWN_WEIGHT
        return max(LEAST_WEIGHT, float(self._lengths[number]) - COMMON)

    def nearest_of(
        self, asked: Sequence[ContentWord], texts: Sequence[npt.NDArray[np.intp]]
    ) -> npt.NDArray[np.float64]:
        """Return the nearness of each text to each word *asked*: one row per text, one column per word, in [0, 1].

        The nearness is that of the nearest word in the text.
        """
        similarities = np.zeros((len(texts), len(asked)))
        sought = [
            (column, number)
            for column, one in enumerate(asked)
            if not one.exact and (number := self.numbers.get(one.word)) is not None
        ]
        filled = [row for row, numbers in enumerate(texts) if len(numbers)]
        if not sought or not filled:
            return similarities
        every = np.concatenate([texts[row] for row in filled])
        there, places = np.zeros(len(self._words), np.bool_), np.empty(len(self._words), np.intp)
        there[every] = True
        words = np.flatnonzero(there)
        places[words] = np.arange(len(words))
        at = places[every]
        ours = self._whole[[number for _, number in sought]].T
        rows = max(1, ALONE // ours.size)
        cosines = np.concatenate([self._whole[words[at : at + rows]] @ ours for at in range(0, len(words), rows)])
        lengths = np.array([len(texts[row]) for row in filled])
        best = np.maximum.reduceat(cosines[at], np.cumsum(lengths) - lengths)
        similarities[np.ix_(filled, [column for column, _ in sought])] = ((best - STRANGERS) / (SAME - STRANGERS)).clip(
            0, 1
        )
        return similarities


def _of_length_one(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return *rows* at length one. The rows are changed in place, because a copy takes longer than the arithmetic."""
    rows /= _lengths(rows)[:, np.newaxis] + np.float32(1e-32)
    return rows


def _lengths(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the length of each row, in a fifth of the time of `np.linalg.norm`."""
    lengths: npt.NDArray[np.float32] = np.sqrt(np.vecdot(rows, rows))
    return lengths


@cache
def shipped() -> WordNearness:
    """Return the shared instance of this process."""
    return WordNearness()
