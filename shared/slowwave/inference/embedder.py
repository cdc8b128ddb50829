"""The default embedder: static word vectors that ship with the package. No model server, no key, no network.

model2vec brings huggingface_hub along (about 0.8 s of import, 50 MB), so it is imported at the first text, never
before.
"""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from slowwave.errors import Fault
from slowwave.ports import Vectors

if TYPE_CHECKING:
    from model2vec import StaticModel

SPACE = "static-minilm-256-int8@1"
DIMENSIONS = 256
WEIGHTS = Path(__file__).with_name("static_minilm")
BATCH = 1024
"""Texts tokenised at a time: bounds the memory of a long list."""


class StaticEmbedder:
    """English text to 256 numbers: the mean of its tokens' vectors, some 40 000 short texts a second on one core.

    Deterministic and safe to share between threads. Only the first 512 tokens of a text count.
    """

    def __init__(self, weights: Path = WEIGHTS) -> None:
        self._weights = weights
        self._loading = threading.Lock()
        self._model: StaticModel | None = None

    @property
    def space(self) -> str:
        """The name of the space: model and version."""
        return SPACE

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""
        return DIMENSIONS

    def load(self) -> None:
        """Load the weights now rather than at the first text: before a fork, all children share them."""
        self._loaded()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one float32 row of length 1 a text; a row of zeros where no token of the text is known.

        A zero row means "no vector": it has no direction, so its cosine to anything is undefined.
        """
        if not texts:
            return np.zeros((0, DIMENSIONS), dtype=np.float32)

        rows = self._loaded().encode(list(texts), batch_size=BATCH, normalize=True, use_multiprocessing=False)
        return np.asarray(rows, dtype=np.float32)

    def _loaded(self) -> "StaticModel":
        with self._loading:
            if self._model is None:
                self._model = _load(self._weights)
            return self._model


def _load(weights: Path) -> "StaticModel":
    if not (weights / "model.safetensors").is_file():  # model2vec would ask the network for it
        raise Fault(f"the default embedder's weights are not at {weights}", hint="install the slowwave wheel again")

    from model2vec import StaticModel

    return StaticModel.from_pretrained(weights)
