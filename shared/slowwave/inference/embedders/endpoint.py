"""An embedder behind any endpoint with OpenAI's `/v1/embeddings`.

After a failure, the embedder makes no calls for a while.
"""

import json
import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from slowwave.core.backoff import pause_after
from slowwave.errors import Refused, Unavailable, Unprepared
from slowwave.inference.embedders.vectors import of_length_one
from slowwave.inference.providers import OPERATOR_SECONDS, ProviderEndpoint
from slowwave.ports import Vectors
from slowwave.runtime import clock
from slowwave.threads import run_in_thread

_LOG = logging.getLogger(__name__)
CHARACTERS = 8_000
"""The maximum number of characters of a text that are used, about as many as most models read at once."""
NUMBER_BYTES, REPLY_BYTES = 32, 1024 * 1024
"""The maximum number of bytes of one number of a vector in JSON, and of the other parts of a reply."""
SETTINGS = "SLOWWAVE_EMBEDDING_MODEL, SLOWWAVE_EMBEDDING_URL and SLOWWAVE_EMBEDDING_KEY"


class FailureBackoff:
    """The record of recent failures of a service. It is safe to share between threads."""

    def __init__(self) -> None:
        self._failures, self._until = 0, 0.0
        self._why = ""
        self._hint: str | None = None
        self._looking = threading.Lock()

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Run the block, which calls the service. During a pause after failures, raise `Unavailable` at once instead.

        `pause_after` gives the pause for a number of failures in a row. The pause is longer if the service asks for a
        longer pause.
        """
        with self._looking:
            left = self._until - clock.monotonic()
            if left > 0:
                raise Unavailable(self._why, retry_after_seconds=left, hint=self._hint)
        try:
            yield
        except Unavailable as error:
            with self._looking:
                wait = max(error.retry_after_seconds, pause_after(self._failures))
                self._failures, self._until = self._failures + 1, clock.monotonic() + wait
                self._why, self._hint = error.message, error.hint
            raise Unavailable(error.message, retry_after_seconds=wait, hint=error.hint) from error
        with self._looking:
            self._failures, self._until = 0, 0.0


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """A model behind an endpoint. A call has at most *batch* texts, and takes at most *timeout_seconds*.

    If *shorten* is True, requests name the *dimensions* to return. Not every model supports this field.
    """

    name: str
    dimensions: int
    batch: int = 64
    timeout_seconds: float = 10.0
    shorten: bool = False


class EndpointEmbedder:
    """An `Embedder` that calls an endpoint. It is safe to share between threads.

    After each failure, the embedder pauses twice as long as before. During a pause, it raises `Unavailable` at once.
    Only the first 8 000 characters of a text are used.
    """

    def __init__(self, endpoint: ProviderEndpoint, model: EmbeddingModel) -> None:
        self._endpoint, self._model = endpoint, model
        self._patience = FailureBackoff()

    @property
    def space(self) -> str:
        """The name of the space: the model, and the dimensions of its vectors."""
        return f"{self._model.name}@{self._model.dimensions}"

    @property
    def dimensions(self) -> int:
        return self._model.dimensions

    def load(self) -> None:
        """Do nothing: an endpoint has nothing to load."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one float32 row of length 1 per text; zeros for an empty or a refused text.

        Raises `Unavailable` while the endpoint is unreachable and `Unprepared` if an operator must act.
        """
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        filled = [number for number, text in enumerate(texts) if text.strip()]
        for at in range(0, len(filled), self._model.batch):
            numbers = filled[at : at + self._model.batch]
            vectors[numbers] = self._halving([texts[number][:CHARACTERS] for number in numbers])
        return vectors

    def _halving(self, texts: Sequence[str]) -> Vectors:
        """Return the rows of *texts*.

        If the endpoint refuses the request, each half of *texts* is sent again, down to a single text.
        """
        try:
            return self._asked(texts)
        except Refused as error:
            if len(texts) > 1:
                middle = len(texts) // 2
                return np.concatenate([self._halving(texts[:middle]), self._halving(texts[middle:])])
            return self._refused(error)

    def _refused(self, error: Refused) -> Vectors:
        """Return the row for a text that the endpoint refuses. Raises `Unprepared` if it refuses every text."""
        try:
            self._asked(["hello"])
        except Refused:
            raise Unprepared(
                f"{self._endpoint.host} refuses every text: {error.message}", hint=f"check {SETTINGS}"
            ) from error
        _LOG.warning("the embedding model %s refuses a text: recall finds it by its words only", self._model.name)
        return np.zeros((1, self.dimensions), dtype=np.float32)

    def _asked(self, texts: Sequence[str]) -> Vectors:
        model = self._model
        asked: dict[str, Any] = {"model": model.name, "input": list(texts), "encoding_format": "float"}
        if model.shorten:
            asked["dimensions"] = model.dimensions
        most = len(texts) * (model.dimensions + 1) * NUMBER_BYTES + REPLY_BYTES
        with self._patience.asking():
            raw = run_in_thread(
                lambda: self._endpoint.post(
                    "/embeddings", asked, timeout_seconds=model.timeout_seconds, most_bytes=most
                )
            )
            rows = _rows(raw, len(texts))
            if rows is None:
                raise Unavailable(
                    f"{self._endpoint.host} did not answer with embeddings of the texts",
                    retry_after_seconds=OPERATOR_SECONDS, hint=f"check {SETTINGS}",
                )  # fmt: skip
        return of_length_one(rows, texts=len(texts), dimensions=self.dimensions, source=self._endpoint.host)


def _rows(raw: str, texts: int) -> list[Any] | None:
    """Return the embeddings in a reply, in the order of the texts; None unless each text has an embedding."""
    try:
        by_index = {one["index"]: one["embedding"] for one in json.loads(raw)["data"]}
        return [by_index[number] for number in range(texts)] if len(by_index) == texts else None
    except (ValueError, TypeError, KeyError):
        return None
