"""The default embedder: static word vectors that ship with the package, and their tokenizer (WordPiece)."""

import gzip
import json
import math
import re
import statistics
import struct
import threading
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from slowwave.errors import Fault
from slowwave.ports import Vectors

LONGEST_WORD = 100
"""The maximum number of characters of a word that is split into pieces. A longer word counts as unknown."""
CACHED_WORDS = 65_536
CACHED_LENGTH = 32
"""The maximum number of characters of a word whose tokens are cached. Longer words are rarely repeated."""
_ASCII = re.compile(r"[0-9a-z]+|[!-/:-@\[-`{-~]")
SPACE = "static-minilm-256-int8@1"
DIMENSIONS = 256
WEIGHTS = Path(__file__).with_name("static_minilm")
TOKENS = 512
"""The maximum number of tokens of a text that are used."""
BATCH = 256
"""The maximum number of texts whose vectors are computed together, which limits the memory for a long list."""


def _characters() -> list[str]:
    """Return the classes of characters in `characters.txt`, in the syntax for the brackets of a regular expression."""
    lines = WEIGHTS.with_name("characters.txt").read_text(encoding="ascii").splitlines()
    classes = ((ends.split("-") for ends in line.split()) for line in lines if not line.startswith("#"))
    return ["".join(rf"\U{int(ends[0], 16):08x}-\U{int(ends[-1], 16):08x}" for ends in each) for each in classes]


_dropped, _marks, _signs, _han = _characters()
_DROPPED, _MARKS = re.compile(f"[{_dropped}]+"), re.compile(f"[{_marks}]+")
_SIGN, _HAN = re.compile(f"([{_signs}])"), re.compile(f"([{_han}])")


class WordPiece:
    """The tokenizer for a *vocabulary*. A text may contain *special* tokens, which are recognised literally.

    Threads may share the tokenizer and its cache, because a word has the same tokens in every thread.
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
        """Return the tokens of a part: the longest known piece at its start, then the longest next piece, and so on."""
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
    """Return the parts of a word, in lower case and without accents. Each punctuation mark or Han sign is a part."""
    if word.isascii():
        return _ASCII.findall(word.lower())
    apart = unicodedata.normalize("NFD", _HAN.sub(r" \1 ", word))
    plain = _MARKS.sub("", apart).replace("Σ", "σ").lower()  # Python uses a different sigma at the end of a word
    return _SIGN.sub(r" \1 ", plain).split()


class StaticEmbedder:
    """An `Embedder` of English text with 256 dimensions: the mean of the token vectors.

    It embeds some 40 000 short texts per second. It is deterministic, and safe to share between threads. Only the first
    512 tokens of a text are used.
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
        """Load the weights now rather than at the first text.

        If they are loaded before a fork, all children share them.
        """
        self._loaded()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one float32 row of length 1 per text; a row of zeros if no token of the text is known.

        A row of zeros means "no vector"; its cosine to any vector is undefined.
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
    """Return the whole words of the vocabulary that have at least three letters, and one vector per word."""
    parsed, table = _model(folder)
    vocabulary: dict[str, int] = parsed["model"]["vocab"]
    words = [word for word in vocabulary if len(word) > 2 and word.isascii() and word.isalpha()]
    return words, table[[vocabulary[word] for word in words]].astype(np.float32)


class _Table:
    """A table of token vectors and its tokenizer, read from *folder* in the format of model2vec."""

    def __init__(self, folder: Path) -> None:
        parsed, self._vectors = _model(folder)
        vocabulary = parsed["model"]["vocab"]
        special = {token["content"]: token["id"] for token in parsed["added_tokens"]}
        self._tokens = WordPiece(vocabulary, unknown=vocabulary[parsed["model"]["unk_token"]], special=special)
        self._characters = TOKENS * int(statistics.median(map(len, vocabulary)))  # model2vec reads as many tokens

    def rows(self, texts: Sequence[str]) -> Vectors:
        """Return the mean of the token vectors of each text, at length 1; zeros if no token of the text is known."""
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
    """Return the parsed tokenizer and the token vectors, which are read once per process."""
    return json.loads(_shipped(folder / "tokenizer.json")), _tensor(folder / "model.safetensors", "embeddings")


def _shipped(path: Path) -> bytes:
    """Return a file of the embedder. The file is plain in a checkout, and compressed in a wheel."""
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
