"""An embedder behind any endpoint that has OpenAI's `/v1/embeddings`: OpenAI, vLLM, Ollama, llama.cpp, and others."""

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from slowwave.errors import Refused, Unavailable, Unprepared
from slowwave.inference.embedders.patience import Patience
from slowwave.inference.embedders.rows import of_length_one
from slowwave.inference.providers.posting import OPERATOR_SECONDS, Endpoint
from slowwave.ports import Vectors
from slowwave.threads import aside

_LOG = logging.getLogger(__name__)
CHARACTERS = 8_000
"""Of a longer text, only so many count: what most models read at once."""
NUMBER_BYTES, REPLY_BYTES = 32, 1024 * 1024
"""More than a number of a vector takes in JSON, and than what else stands in a reply."""
SETTINGS = "SLOWWAVE_EMBEDDING_MODEL, SLOWWAVE_EMBEDDING_URL and SLOWWAVE_EMBEDDING_KEY"


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """A model behind an endpoint, and how it is asked: *batch* texts at once, *timeout_seconds* for each.

    With *shorten* the endpoint is told how many *dimensions* are wanted, which not every model can do.
    """

    name: str
    dimensions: int
    batch: int = 64
    timeout_seconds: float = 10.0
    shorten: bool = False


class EndpointEmbedder:
    """An `Embedder` that asks an endpoint. Safe to share between threads.

    One that does not answer is left alone for a while that doubles, and every question meanwhile is `Unavailable` at
    once. Only the first 8 000 characters of a text count.
    """

    def __init__(self, endpoint: Endpoint, model: EmbeddingModel) -> None:
        self._endpoint, self._model = endpoint, model
        self._patience = Patience()

    @property
    def space(self) -> str:
        """The name of the space: the model, and how many numbers its vectors have."""
        return f"{self._model.name}@{self._model.dimensions}"

    @property
    def dimensions(self) -> int:
        return self._model.dimensions

    def load(self) -> None:
        """Be ready: nothing is loaded here, and nobody is asked before there is a text."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one float32 row of length 1 a text; zeros for an empty one, and for one that the model refuses.

        Raises `Unavailable` while the endpoint is away and `Unprepared` where an operator must act.
        """
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        said = [number for number, text in enumerate(texts) if text.strip()]
        for at in range(0, len(said), self._model.batch):
            numbers = said[at : at + self._model.batch]
            vectors[numbers] = self._halving([texts[number][:CHARACTERS] for number in numbers])
        return vectors

    def _halving(self, texts: Sequence[str]) -> Vectors:
        """Ask for *texts*, and where they are refused for each half, until the text that is refused stands alone."""
        try:
            return self._asked(texts)
        except Refused as error:
            if len(texts) > 1:
                middle = len(texts) // 2
                return np.concatenate([self._halving(texts[:middle]), self._halving(texts[middle:])])
            return self._refused(error)

    def _refused(self, error: Refused) -> Vectors:
        """Return the row of a text that is refused. Raises `Unprepared` where any text would be."""
        try:
            self._asked(["hello"])
        except Refused:
            raise Unprepared(
                f"{self._endpoint.host} refuses any text: {error.message}", hint=f"look at {SETTINGS}"
            ) from error
        _LOG.warning("the embedding model %s refuses a text: it is found by its words alone", self._model.name)
        return np.zeros((1, self.dimensions), dtype=np.float32)

    def _asked(self, texts: Sequence[str]) -> Vectors:
        model = self._model
        asked: dict[str, Any] = {"model": model.name, "input": list(texts), "encoding_format": "float"}
        if model.shorten:
            asked["dimensions"] = model.dimensions
        most = len(texts) * (model.dimensions + 1) * NUMBER_BYTES + REPLY_BYTES
        with self._patience.asking():
            raw = aside(
                lambda: self._endpoint.post(
                    "/embeddings", asked, timeout_seconds=model.timeout_seconds, most_bytes=most
                )
            )
            rows = _rows(raw, len(texts))
            if rows is None:
                raise Unavailable(
                    f"{self._endpoint.host} answered with what are no embeddings of the texts",
                    retry_after_seconds=OPERATOR_SECONDS, hint=f"look at {SETTINGS}",
                )  # fmt: skip
        return of_length_one(rows, texts=len(texts), dimensions=self.dimensions, whose=self._endpoint.host)


def _rows(raw: str, texts: int) -> list[Any] | None:
    """Return the embeddings in a reply, in the order of the texts; None where it has not one for each."""
    try:
        told = {one["index"]: one["embedding"] for one in json.loads(raw)["data"]}
        return [told[number] for number in range(texts)] if len(told) == texts else None
    except (ValueError, TypeError, KeyError):
        return None
