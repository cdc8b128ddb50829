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
"""The most characters of a word that is split into pieces. A longer word counts as unknown."""
CACHED_WORDS = 65_536
CACHED_LENGTH = 32
"""The most characters of a word whose tokens are cached. Longer words are rarely repeated."""
_ASCII = re.compile(r"[0-9a-z]+|[!-/:-@\[-`{-~]")
SPACE = "static-minilm-256-int8@1"
DIMENSIONS = 256
WEIGHTS = Path(__file__).with_name("static_minilm")
TOKENS = 512
"""The most tokens of a text that are used."""
BATCH = 256
"""The most texts whose vectors are computed together, which limits the memory for a long list."""


def _characters(ranges: str) -> str:
    """Return *ranges* of hexadecimal code points in the syntax for the brackets of a regular expression."""
    ends = (each.split("-") for each in ranges.split())
    return "".join(rf"\U{int(pair[0], 16):08x}-\U{int(pair[-1], 16):08x}" for pair in ends)


DROPPED = _characters("""
0-8 b-c e-1f 7f-9f ad 600-605 61c 6dd 70f 180e 200b-200f 202a-202e 2060-2064 2066-206f e000-f8ff feff fff9-fffb fffd
110bd 1bca0-1bca3 1d173-1d17a e0001 e0020-e007f f0000-ffffd 100000-10fffd
""")
"""Control, format and private-use characters, and the replacement character. A word continues across them."""
MARKS = _characters("""
300-36f 483-487 591-5bd 5bf 5c1-5c2 5c4-5c5 5c7 610-61a 64b-65f 670 6d6-6dc 6df-6e4 6e7-6e8 6ea-6ed 711 730-74a
7a6-7b0 7eb-7f3 816-819 81b-823 825-827 829-82d 859-85b 8e3-902 93a 93c 941-948 94d 951-957 962-963 981 9bc 9c1-9c4
9cd 9e2-9e3 a01-a02 a3c a41-a42 a47-a48 a4b-a4d a51 a70-a71 a75 a81-a82 abc ac1-ac5 ac7-ac8 acd ae2-ae3 b01 b3c b3f
b41-b44 b4d b56 b62-b63 b82 bc0 bcd c00 c3e-c40 c46-c48 c4a-c4d c55-c56 c62-c63 c81 cbc cbf cc6 ccc-ccd ce2-ce3 d01
d41-d44 d4d d62-d63 dca dd2-dd4 dd6 e31 e34-e3a e47-e4e eb1 eb4-eb9 ebb-ebc ec8-ecd f18-f19 f35 f37 f39 f71-f7e
f80-f84 f86-f87 f8d-f97 f99-fbc fc6 102d-1030 1032-1037 1039-103a 103d-103e 1058-1059 105e-1060 1071-1074 1082
1085-1086 108d 109d 135d-135f 1712-1714 1732-1734 1752-1753 1772-1773 17b4-17b5 17b7-17bd 17c6 17c9-17d3 17dd
180b-180d 18a9 1920-1922 1927-1928 1932 1939-193b 1a17-1a18 1a1b 1a56 1a58-1a5e 1a60 1a62 1a65-1a6c 1a73-1a7c 1a7f
1ab0-1abd 1b00-1b03 1b34 1b36-1b3a 1b3c 1b42 1b6b-1b73 1b80-1b81 1ba2-1ba5 1ba8-1ba9 1bab-1bad 1be6 1be8-1be9 1bed
1bef-1bf1 1c2c-1c33 1c36-1c37 1cd0-1cd2 1cd4-1ce0 1ce2-1ce8 1ced 1cf4 1cf8-1cf9 1dc0-1df5 1dfc-1dff 20d0-20dc 20e1
20e5-20f0 2cef-2cf1 2d7f 2de0-2dff 302a-302d 3099-309a a66f a674-a67d a69e-a69f a6f0-a6f1 a802 a806 a80b a825-a826
a8c4 a8e0-a8f1 a926-a92d a947-a951 a980-a982 a9b3 a9b6-a9b9 a9bc a9e5 aa29-aa2e aa31-aa32 aa35-aa36 aa43 aa4c aa7c
aab0 aab2-aab4 aab7-aab8 aabe-aabf aac1 aaec-aaed aaf6 abe5 abe8 abed fb1e fe00-fe0f fe20-fe2f 101fd 102e0
10376-1037a 10a01-10a03 10a05-10a06 10a0c-10a0f 10a38-10a3a 10a3f 10ae5-10ae6 11001 11038-11046 1107f-11081
110b3-110b6 110b9-110ba 11100-11102 11127-1112b 1112d-11134 11173 11180-11181 111b6-111be 111ca-111cc 1122f-11231
11234 11236-11237 112df 112e3-112ea 11300-11301 1133c 11340 11366-1136c 11370-11374 114b3-114b8 114ba 114bf-114c0
114c2-114c3 115b2-115b5 115bc-115bd 115bf-115c0 115dc-115dd 11633-1163a 1163d 1163f-11640 116ab 116ad 116b0-116b5
116b7 1171d-1171f 11722-11725 11727-1172b 16af0-16af4 16b30-16b36 16f8f-16f92 1bc9d-1bc9e 1d167-1d169 1d17b-1d182
1d185-1d18b 1d1aa-1d1ad 1d242-1d244 1da00-1da36 1da3b-1da6c 1da75 1da84 1da9b-1da9f 1daa1-1daaf 1e8d0-1e8d6
e0100-e01ef
""")
"""Combining marks, such as accents, in their decomposed form."""
SIGNS = _characters("""
21-2f 3a-40 5b-60 7b-7e a1 a7 ab b6-b7 bb bf 37e 387 55a-55f 589-58a 5be 5c0 5c3 5c6 5f3-5f4 609-60a 60c-60d 61b
61e-61f 66a-66d 6d4 700-70d 7f7-7f9 830-83e 85e 964-965 970 af0 df4 e4f e5a-e5b f04-f12 f14 f3a-f3d f85 fd0-fd4
fd9-fda 104a-104f 10fb 1360-1368 1400 166d-166e 169b-169c 16eb-16ed 1735-1736 17d4-17d6 17d8-17da 1800-180a
1944-1945 1a1e-1a1f 1aa0-1aa6 1aa8-1aad 1b5a-1b60 1bfc-1bff 1c3b-1c3f 1c7e-1c7f 1cc0-1cc7 1cd3 2010-2027 2030-2043
2045-2051 2053-205e 207d-207e 208d-208e 2308-230b 2329-232a 2768-2775 27c5-27c6 27e6-27ef 2983-2998 29d8-29db
29fc-29fd 2cf9-2cfc 2cfe-2cff 2d70 2e00-2e2e 2e30-2e42 3001-3003 3008-3011 3014-301f 3030 303d 30a0 30fb a4fe-a4ff
a60d-a60f a673 a67e a6f2-a6f7 a874-a877 a8ce-a8cf a8f8-a8fa a8fc a92e-a92f a95f a9c1-a9cd a9de-a9df aa5c-aa5f
aade-aadf aaf0-aaf1 abeb fd3e-fd3f fe10-fe19 fe30-fe52 fe54-fe61 fe63 fe68 fe6a-fe6b ff01-ff03 ff05-ff0a ff0c-ff0f
ff1a-ff1b ff1f-ff20 ff3b-ff3d ff3f ff5b ff5d ff5f-ff65 10100-10102 1039f 103d0 1056f 10857 1091f 1093f 10a50-10a58
10a7f 10af0-10af6 10b39-10b3f 10b99-10b9c 11047-1104d 110bb-110bc 110be-110c1 11140-11143 11174-11175 111c5-111c9
111cd 111db 111dd-111df 11238-1123d 112a9 114c6 115c1-115d7 11641-11643 1173c-1173e 12470-12474 16a6e-16a6f 16af5
16b37-16b3b 16b44 1bc9f 1da87-1da8b
""")
"""Punctuation, and every printable ASCII character that is neither a letter nor a digit."""
HAN = _characters("""
3400-4dbf 4e00-9fff f900-faff 20000-2a6df 2a700-2b81f 2b920-2ceaf 2f800-2fa1f
""")
"""Han characters. Each Han character is a separate word."""


_DROPPED, _MARKS = re.compile(f"[{DROPPED}]+"), re.compile(f"[{MARKS}]+")
_SIGN, _HAN = re.compile(f"([{SIGNS}])"), re.compile(f"([{HAN}])")


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
