"""The default embedder: static word vectors that ship with the package. No model server, no key, no network."""

import gzip
import json
import math
import statistics
import struct
import threading
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from slowwave.errors import Fault
from slowwave.inference.wordpiece import WordPiece
from slowwave.ports import Vectors

SPACE = "static-minilm-256-int8@1"
DIMENSIONS = 256
WEIGHTS = Path(__file__).with_name("static_minilm")
TOKENS = 512
"""Only this many tokens of a longer text are used."""
BATCH = 256
"""The most texts whose vectors are computed together, which limits the memory for a long list."""


class StaticEmbedder:
    """An `Embedder` of English text: 256 dimensions, the mean of the token vectors; some 40 000 short texts a second.

    Deterministic and safe to share between threads. Only the first 512 tokens of a text are used.
    """

    def __init__(self, weights: Path = WEIGHTS) -> None:
        self._weights = weights
        self._loading = threading.Lock()
        self._table: _Table | None = None

    @property
    def space(self) -> str:
        """The name of the space: model and version."""
        return SPACE

    @property
    def dimensions(self) -> int:
        return DIMENSIONS

    def load(self) -> None:
        """Load the weights now rather than at the first text: if done before a fork, all children share them."""
        self._loaded()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one float32 row of length 1 per text; a row of zeros if no token of the text is known.

        A zero row means "no vector": it has no direction, so its cosine to anything is undefined.
        """
        if not texts:
            return np.zeros((0, DIMENSIONS), dtype=np.float32)

        table = self._loaded()
        batches = (texts[at : at + BATCH] for at in range(0, len(texts), BATCH))
        return np.concatenate([table.rows(batch) for batch in batches])

    def _loaded(self) -> "_Table":
        with self._loading:
            if self._table is None:
                self._table = _Table(self._weights)
            return self._table


def word_vectors(folder: Path = WEIGHTS) -> tuple[list[str], npt.NDArray[np.float32]]:
    """Return the whole words of the vocabulary with three letters or more, and one vector per word."""
    parsed, table = _model(folder)
    vocabulary: dict[str, int] = parsed["model"]["vocab"]
    words = [word for word in vocabulary if len(word) > 2 and word.isascii() and word.isalpha()]
    return words, table[[vocabulary[word] for word in words]].astype(np.float32)


class _Table:
    """A table of token vectors and the tokenizer that numbers them: a folder in model2vec's format."""

    def __init__(self, folder: Path) -> None:
        parsed, self._vectors = _model(folder)
        vocabulary = parsed["model"]["vocab"]
        special = {token["content"]: token["id"] for token in parsed["added_tokens"]}
        self._tokens = WordPiece(vocabulary, unknown=vocabulary[parsed["model"]["unk_token"]], special=special)
        self._characters = TOKENS * int(statistics.median(map(len, vocabulary)))  # model2vec reads as much

    def rows(self, texts: Sequence[str]) -> Vectors:
        """Return for each text the mean of its token vectors, at length 1; zeros if no token is known."""
        found = [self._known(text) for text in texts]
        lengths = np.fromiter(map(len, found), dtype=np.intp, count=len(found))
        rows = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        spoken = lengths > 0
        if spoken.any():
            numbers = np.fromiter(chain.from_iterable(found), dtype=np.intp, count=int(lengths.sum()))
            begins = (np.cumsum(lengths) - lengths)[spoken]
            sums = np.add.reduceat(self._vectors[numbers], begins, axis=0, dtype=np.int32)
            rows[spoken] = sums / lengths[spoken, np.newaxis]
            rows /= np.linalg.norm(rows, axis=1, keepdims=True) + 1e-32
        return rows

    def _known(self, text: str) -> list[int]:
        numbers = self._tokens(text[: self._characters])[:TOKENS]
        return [number for number in numbers if number != self._tokens.unknown]


@lru_cache(maxsize=1)
def _model(folder: Path) -> tuple[dict[str, Any], npt.NDArray[np.int8]]:
    """Return the parsed tokenizer and the token vectors, read once for all who need them."""
    return json.loads(_shipped(folder / "tokenizer.json")), _tensor(folder / "model.safetensors", "embeddings")


def _shipped(path: Path) -> bytes:
    """Return a file of the embedder: plain in a checkout, compressed in a wheel."""
    packed = path.with_name(f"{path.name}.gz")
    try:
        return gzip.decompress(packed.read_bytes()) if packed.is_file() else path.read_bytes()
    except (OSError, EOFError) as error:
        raise Fault(f"the embedder's weights are not at {path}", hint="install the slowwave wheel again") from error


def _tensor(path: Path, name: str) -> npt.NDArray[np.int8]:
    """Return a table of bytes from a safetensors file: a length, a JSON header, then the numbers."""
    raw = _shipped(path)
    (length,) = struct.unpack_from("<Q", raw)
    parsed: dict[str, Any] = json.loads(raw[8 : 8 + length])[name]
    if parsed["dtype"] != "I8":
        raise Fault(f"the numbers of {path} are {parsed['dtype']}, not I8", hint="install the slowwave wheel again")
    at = 8 + length + parsed["data_offsets"][0]
    return np.frombuffer(raw, np.int8, offset=at, count=math.prod(parsed["shape"])).reshape(parsed["shape"])
