"""Embeddings for writes by hand: no embedder is called while a transaction is open."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from slowwave.ports import Embedder, Vectors

T = TypeVar("T")


class _TextsNeeded(Exception):
    """The texts that a transaction needs and that are not embedded yet."""

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__()
        self.texts = texts


@dataclass(frozen=True, slots=True)
class _EmbeddedTexts:
    """An `Embedder` of texts that were embedded already; for any other text it raises `_TextsNeeded`."""

    space: str
    dimensions: int
    vectors: dict[str, Vectors]

    def load(self) -> None:
        """Do nothing: there is nothing to load."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        lacking = [text for text in texts if text not in self.vectors]
        if lacking:
            raise _TextsNeeded(lacking)
        rows = [self.vectors[text] for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self.dimensions), np.float32)


def embed_before_transaction(embedder: Embedder, act: Callable[[Embedder], T]) -> T:
    """Return the result of *act*, which runs in its own transaction; embed its texts while no transaction is open.

    The first try finds out which texts *act* needs and is rolled back. Since data may change in between, *act* is tried
    until all its texts are embedded.
    """
    at_hand = _EmbeddedTexts(embedder.space, embedder.dimensions, {})
    while True:
        try:
            return act(at_hand)
        except _TextsNeeded as wanted:
            at_hand.vectors.update(zip(wanted.texts, embedder.embed(wanted.texts), strict=True))
