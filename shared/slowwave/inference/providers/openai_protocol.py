"""A provider that speaks OpenAI's protocol: OpenAI itself, vLLM, Ollama, llama.cpp, and most others."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slowwave.domain.model_calls.chunk import Answer, Message
from slowwave.inference.providers.http_request import ProviderEndpoint
from slowwave.inference.providers.openai_body import answer, body
from slowwave.runtime import clock

MOST_BYTES = 4 * 1024 * 1024
"""The most bytes of a reply: more than any reply takes within its limit of tokens."""
SETTINGS = "SLOWWAVE_MODEL, SLOWWAVE_MODEL_URL and SLOWWAVE_MODEL_KEY"


@dataclass(frozen=True, slots=True)
class OpenAIProtocol:
    """A `Provider` at *url* (up to `/v1`), for *model*, with *key* if one is needed."""

    url: str
    model: str
    key: str = ""

    @property
    def name(self) -> str:
        secret = hashlib.sha256(self.key.encode()).hexdigest()[:6] if self.key else "open"
        return f"{self._endpoint.host}/{self.model}#{secret}"

    def ask(
        self, messages: Sequence[Message], schema: Mapping[str, object], *, most_tokens: int, timeout_seconds: float
    ) -> Answer:
        begun = clock.monotonic()
        asked = body(self.model, messages, schema, most_tokens)
        raw = self._endpoint.post("/chat/completions", asked, timeout_seconds=timeout_seconds, most_bytes=MOST_BYTES)
        return _answer(raw, 1000 * (clock.monotonic() - begun))

    @property
    def _endpoint(self) -> ProviderEndpoint:
        return ProviderEndpoint(self.url, self.key, SETTINGS)


def _answer(raw: str, latency_ms: float) -> Answer:
    try:
        reply = json.loads(raw)
    except ValueError:
        return Answer(raw, latency_ms=latency_ms)
    return answer(reply, raw, latency_ms)
