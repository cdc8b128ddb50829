"""An embedder over sentence-transformers, from an extra: any model that it can load, in this process."""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from slowwave.errors import Incorrect
from slowwave.inference.embedders.rows import of_length_one
from slowwave.ports import Vectors
from slowwave.runtime.extras import needed
from slowwave.threads import run_in_thread


class SentenceTransformersEmbedder:
    """An `Embedder` of a *model*, given by name or folder. Safe to share between threads, which take turns.

    Raises `Incorrect` if the extra is not installed, or the model does not state its dimensions.
    """

    def __init__(self, model: str, *, batch: int = 64) -> None:
        with needed():
            from sentence_transformers import SentenceTransformer
        self._name, self._batch, self._turn = model, batch, threading.Lock()
        self._model: Any = SentenceTransformer(model)
        length = self._model.get_sentence_embedding_dimension()
        if not isinstance(length, int):
            raise Incorrect(
                f"the model {model} does not state the dimensions of its vectors", hint="name an embedding model"
            )
        self._dimensions = length

    @property
    def space(self) -> str:
        """The name of the space: the model, and the number of its dimensions."""
        return f"{self._name}@{self._dimensions}"

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def load(self) -> None:
        """Do nothing: the model was loaded by the constructor."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one float32 row of length 1 per text; zeros for an empty text."""
        vectors = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        said = [number for number, text in enumerate(texts) if text.strip()]
        if said:
            rows = run_in_thread(lambda: self._rows([texts[number] for number in said]))
            vectors[said] = of_length_one(rows, texts=len(said), dimensions=self._dimensions, whose=self._name)
        return vectors

    def _rows(self, texts: list[str]) -> Any:
        with self._turn:
            return self._model.encode(texts, batch_size=self._batch, show_progress_bar=False)
