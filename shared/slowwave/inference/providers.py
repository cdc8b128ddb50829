"""A provider that speaks OpenAI's protocol. Requests are single calls or lines of batch files."""

import hashlib
import http.client
import json
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from slowwave.domain.model_calls import Answer, Chunk, Message
from slowwave.errors import Crowded, Incorrect, Refused, Unavailable
from slowwave.http_client import seconds_of, send_request
from slowwave.runtime import clock

OPERATOR_SECONDS = 60.0
"""The pause of calls, in seconds, after a wrong key or a missing model. An operator must act, because no request causes
the error.
"""
TOO_LONG = ("context_length", "context length", "maximum context", "too long", "too many tokens", "n_ctx")
"""The words of endpoints that say that a request does not fit into the model's context."""
MOST_BYTES = 4 * 1024 * 1024
"""The maximum number of bytes of a reply. No reply within its limit of tokens needs more bytes."""
SETTINGS = "SLOWWAVE_MODEL, SLOWWAVE_MODEL_URL and SLOWWAVE_MODEL_KEY"


@dataclass(frozen=True, slots=True)
class ProviderEndpoint:
    """An endpoint at *url* (up to `/v1`).

    *key* is the API key, if the endpoint needs one. Error hints name the *settings*.
    """

    url: str
    key: str
    settings: str

    @property
    def host(self) -> str:
        """The host name and port."""
        return urlsplit(self.url).netloc

    def post(self, path: str, parameters: Mapping[str, object], *, timeout_seconds: float, most_bytes: int) -> str:
        """Return the body of the reply to *parameters*, with at most *most_bytes*.

        Raises `Crowded` for 429, another `Unavailable` for temporary failures, and `Refused` for permanent failures.
        """
        status, headers, raw = self._sent(path, json.dumps(parameters).encode(), timeout_seconds, most_bytes)
        if status != 200:
            raise self._refusal(status, headers, raw)
        return raw

    def _sent(
        self, path: str, sent: bytes, timeout_seconds: float, most_bytes: int
    ) -> tuple[int, Mapping[str, str], str]:
        address = urlsplit(self.url)
        line = _line(address.scheme, address.hostname or "", address.port, timeout_seconds)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        return send_request(
            line, address.path.rstrip("/") + path, sent, headers, host=address.netloc,
            timeout_seconds=timeout_seconds, most_bytes=most_bytes,
        )  # fmt: skip

    def _refusal(self, status: int, headers: Mapping[str, str], raw: str) -> Exception:
        text = f"the provider answered {status}"
        wait = seconds_of(headers.get("retry-after"))
        if status == 429:
            return Crowded(text, retry_after_seconds=wait or 0.0)
        if status in (400, 413, 422):
            return Refused(text, too_long=status == 413 or any(word in raw.lower() for word in TOO_LONG))
        if status in (401, 402, 403, 404):
            return Unavailable(text, retry_after_seconds=OPERATOR_SECONDS, hint=f"check {self.settings}")
        return Unavailable(text, retry_after_seconds=wait or 0.0)


def checked_url(url: str, setting: str = "SLOWWAVE_MODEL_URL") -> str:
    """Return *url*. Raises `Incorrect`, which names the *setting*, if *url* is not the address of an endpoint."""
    address = urlsplit(url)
    if address.scheme not in ("http", "https") or not address.hostname:
        raise Incorrect(f"{setting} is not an address", hint="write it like https://api.openai.com/v1")
    return url


def _line(scheme: str, host: str, port: int | None, timeout: float) -> http.client.HTTPConnection:
    if scheme == "https":
        return http.client.HTTPSConnection(host, port, timeout=timeout, context=ssl.create_default_context())
    return http.client.HTTPConnection(host, port, timeout=timeout)


def body(model: str, messages: Sequence[Message], schema: Mapping[str, object], most_tokens: int) -> dict[str, Any]:
    """Return the body of a request at temperature 0, with at most *most_tokens* in the reply."""
    asked: dict[str, Any] = {"model": model, "messages": list(messages), "temperature": 0, "max_tokens": most_tokens}
    if schema:
        asked["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "reply", "schema": dict(schema), "strict": True},
        }
    return asked


def answer(reply: Any, raw: str, latency_ms: float | None = None) -> Answer:
    """Return the answer in *reply*.

    If the reply does not follow the protocol, the answer has the text *raw*, and counts as unreadable.

    Raises `Refused` if the provider filtered the reply.
    """
    try:
        choice = reply["choices"][0]
        text, ended = choice["message"]["content"], choice.get("finish_reason")
        usage = reply.get("usage") or {}
        counts = usage.get("prompt_tokens"), usage.get("completion_tokens")
        model = str(reply.get("model") or "")
    except (KeyError, IndexError, TypeError, AttributeError):
        return Answer(raw, latency_ms=latency_ms)
    if ended == "content_filter":
        raise Refused("the provider filtered it")
    return Answer(
        text if isinstance(text, str) else raw,
        model=model,
        prompt_tokens=count(counts[0]),
        reply_tokens=count(counts[1]),
        latency_ms=latency_ms,
        cut=ended == "length",
    )


def count(number: object) -> int | None:
    """Return a provider's count of tokens; None if *number* is not a count."""
    return number if isinstance(number, int) and 0 <= number < 2**31 else None


@dataclass(frozen=True, slots=True)
class OpenAIProtocol:
    """A `Provider` at *url* (up to `/v1`), for *model*. *key* is the API key, if the endpoint needs one."""

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


def openai_line(key: str, model: str, chunk: Chunk) -> str:
    """Return a request as a line of an OpenAI batch."""
    asked = body(model, chunk.words.messages, chunk.words.schema, chunk.most_tokens)
    return json.dumps(
        {"custom_id": key, "method": "POST", "url": "/v1/chat/completions", "body": asked}, ensure_ascii=False
    )


def anthropic_line(key: str, model: str, chunk: Chunk) -> str:
    """Return a request as a line of an Anthropic batch; the system prompt holds the schema of the reply."""
    messages = chunk.words.messages
    system = [message["content"] for message in messages if message["role"] == "system"]
    if chunk.words.schema:
        system.append(f"Reply with JSON alone, of this schema: {json.dumps(dict(chunk.words.schema))}")
    params: dict[str, Any] = {
        "model": model,
        "max_tokens": chunk.most_tokens,
        "temperature": 0,
        "messages": [dict(message) for message in messages if message["role"] != "system"],
    }
    if system:
        params["system"] = "\n\n".join(system)
    return json.dumps({"custom_id": key, "params": params}, ensure_ascii=False)


FORMATS: Mapping[str, Callable[[str, str, Chunk], str]] = {"openai": openai_line, "anthropic": anthropic_line}


def read_line(line: str) -> tuple[str, Answer | Refused | Unavailable]:
    """Return the key in a line of a batch reply, and the answer or the reason for a missing answer.

    The line may have either format. Raises `Incorrect` if the line is not a reply.
    """
    try:
        parsed = json.loads(line)
        key = parsed["custom_id"]
        if not isinstance(key, str):
            raise TypeError
        return key, (_anthropic(parsed["result"]) if "result" in parsed else _openai(parsed))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Incorrect(
            "the line is not a reply of a batch", hint="write one JSON object per line, with custom_id"
        ) from error
    except Refused as error:
        return key, error


def _openai(fields: Mapping[str, Any]) -> Answer | Refused | Unavailable:
    response = fields.get("response")
    if fields.get("error") or not isinstance(response, dict):
        return Unavailable("the batch has no reply to it")
    status = response.get("status_code", 200)
    if status == 400:
        return Refused("the provider answered 400")
    if status != 200:
        return Unavailable(f"the provider answered {status}")
    reply = response["body"]
    return answer(reply, json.dumps(reply))


def _anthropic(result: Mapping[str, Any]) -> Answer | Refused | Unavailable:
    if result["type"] == "errored":
        return Refused("the provider refused it")
    if result["type"] != "succeeded":
        return Unavailable(f"the batch's line is {result['type']}")
    message = result["message"]
    usage = message.get("usage") or {}
    return Answer(
        "".join(part.get("text", "") for part in message["content"]),
        model=str(message.get("model") or ""),
        prompt_tokens=count(usage.get("input_tokens")),
        reply_tokens=count(usage.get("output_tokens")),
        cut=message.get("stop_reason") == "max_tokens",
    )
