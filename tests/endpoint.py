"""An embedding endpoint with OpenAI's protocol on the loopback interface, with a behaviour that tests set."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from slowwave.inference.embedders.endpoint import EmbeddingModel, EndpointEmbedder
from slowwave.inference.providers import ProviderEndpoint
from tests.local_server import Request, Response, serving_posts


@dataclass
class Embeddings:
    """An endpoint with the vectors *means*; other requests get *status*, and texts that contain *refused* get 400."""

    means: Callable[[Sequence[str]], Sequence[Sequence[float]]]
    url: str = ""
    status: int = 200
    refused: str | None = None
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    heard: Callable[[], object] = lambda: None
    """A callback during a request."""

    def embedder(self, dimensions: int, *, key: str = "", **terms: Any) -> EndpointEmbedder:
        """Return an embedder that calls this endpoint."""
        return EndpointEmbedder(
            ProviderEndpoint(self.url, key, "the settings"), EmbeddingModel("small", dimensions, **terms)
        )

    def answer(self, sent: dict[str, Any]) -> tuple[int, bytes]:
        """Return the status and the body of the response, with the last text first."""
        self.asked.append(sent)
        self.heard()
        if self.status != 200:
            return self.status, b"{}"
        if self.refused is not None and any(self.refused in text for text in sent["input"]):
            return 400, b"{}"
        rows = [
            {"object": "embedding", "index": number, "embedding": [float(one) for one in row]}
            for number, row in enumerate(self.means(sent["input"]))
        ]
        return 200, json.dumps({"data": rows[::-1]}).encode() if self.body is None else self.body


@contextmanager
def serving(means: Callable[[Sequence[str]], Sequence[Sequence[float]]]) -> Iterator[Embeddings]:
    """Give an endpoint that is up until the block ends."""
    endpoint = Embeddings(means)

    def respond(request: Request) -> Response:
        assert request.path == "/v1/embeddings"
        endpoint.keys.append(request.headers.get("authorization"))
        status, vectors = endpoint.answer(json.loads(request.body))
        return status, endpoint.headers, vectors

    with serving_posts(respond) as port:
        endpoint.url = f"http://127.0.0.1:{port}/v1"
        yield endpoint
