"""Text made vectors for who writes by hand: nobody is asked while a transaction is open."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from slowwave.ports import Embedder, Vectors

T = TypeVar("T")


class _Wanted(Exception):
    """Texts that are asked for in the middle of a transaction."""

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__()
        self.texts = texts


@dataclass(frozen=True, slots=True)
class _AtHand:
    """An `Embedder` of the texts whose vectors are at hand; others it does not ask for, but says so."""

    space: str
    dimensions: int
    vectors: dict[str, Vectors]

    def load(self) -> None:
        """Be ready: it loads nothing."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        lacking = [text for text in texts if text not in self.vectors]
        if lacking:
            raise _Wanted(lacking)
        rows = [self.vectors[text] for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self.dimensions), np.float32)


def embedding_aside(embedder: Embedder, act: Callable[[Embedder], T]) -> T:
    """Return what *act* does in a transaction of its own, for which the texts are embedded while none is open.

    The first try finds out which texts it wants and is rolled back. What is true meanwhile may want others: it is tried
    until all are at hand.
    """
    at_hand = _AtHand(embedder.space, embedder.dimensions, {})
    while True:
        try:
            return act(at_hand)
        except _Wanted as wanted:
            at_hand.vectors.update(zip(wanted.texts, embedder.embed(wanted.texts), strict=True))
