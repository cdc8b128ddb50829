"""Conversion of vectors to float32 rows of length 1, and embedding before a transaction opens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from slowwave.errors import Unprepared
from slowwave.ports import Embedder, Vectors

_HINT = "set SLOWWAVE_EMBEDDING_DIMENSIONS to the number of dimensions of this model"
T = TypeVar("T")


def of_length_one(rows: npt.ArrayLike, *, texts: int, dimensions: int, source: str) -> Vectors:
    """Return *rows* as float32 rows of length 1. A row without direction becomes zeros.

    A row with NaN or an overflow has no direction either. Raises `Unprepared` unless there are *texts* rows of
    *dimensions* numbers. *source* is the name of the model in the error.
    """
    try:
        given = np.array(rows, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise Unprepared(f"{source} gives vectors of different lengths, or no vectors", hint=_HINT) from None
    if given.shape != (texts, dimensions):
        found = given.shape[-1] if given.ndim == 2 else "no"
        raise Unprepared(f"{source} gives vectors of {found} dimensions instead of {dimensions}", hint=_HINT)
    given[[not all(row) for row in np.isfinite(given)]] = 0
    largest = np.abs(given).max(axis=1, initial=0, keepdims=True)
    scaled = given / np.where(largest > 0, largest, 1)
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    vectors: Vectors = (scaled / np.where(length > 0, length, 1)).astype(np.float32)
    return vectors


class _TextsNeeded(Exception):
    """The texts that a transaction needs and that have no vectors yet."""

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__()
        self.texts = texts


@dataclass(frozen=True, slots=True)
class _EmbeddedTexts:
    """An `Embedder` of texts that have vectors already. Any other text raises `_TextsNeeded`."""

    space: str
    dimensions: int
    vectors: dict[str, Vectors]

    def load(self) -> None:
        """Do nothing: there is no model to load."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        lacking = [text for text in texts if text not in self.vectors]
        if lacking:
            raise _TextsNeeded(lacking)
        rows = [self.vectors[text] for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self.dimensions), np.float32)


def embed_before_transaction(embedder: Embedder, act: Callable[[Embedder], T]) -> T:
    """Return the result of *act*, which runs in a transaction.

    The texts that *act* needs are embedded before the transaction.

    The first attempt finds the texts that *act* needs, and is rolled back. Data may change between attempts. Therefore
    *act* is repeated until all needed texts are embedded.
    """
    at_hand = _EmbeddedTexts(embedder.space, embedder.dimensions, {})
    while True:
        try:
            return act(at_hand)
        except _TextsNeeded as wanted:
            at_hand.vectors.update(zip(wanted.texts, embedder.embed(wanted.texts), strict=True))
