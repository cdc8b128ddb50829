"""Any endpoint that speaks OpenAI's protocol: OpenAI itself, vLLM, Ollama, llama.cpp, and most others.

It needs nothing but the standard library. One request, tried once, within one limit of time over all of it: a server
that drips a byte a second is hung up on too.
"""

import hashlib
import http.client
import json
import socket
import ssl
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from slowwave import clock
from slowwave.domain.model.chunk import Answer, Message
from slowwave.errors import Crowded, Incorrect, Refused, Unavailable
from slowwave.inference.providers.openai_body import answer, body

MOST_BYTES = 4 * 1024 * 1024
"""More than any reply within its limit of tokens takes."""
OPERATOR_SECONDS = 60.0
"""How long a wrong key or a missing model is left alone: an operator must act, and no request is to blame."""
TOO_LONG = ("context_length", "context length", "maximum context", "too long", "too many tokens", "n_ctx")
"""How endpoints say that a request does not fit into the model."""


@dataclass(frozen=True, slots=True)
class OpenAIProtocol:
    """A `Provider` at *url* (up to `/v1`), for *model*, with *key* where one is needed."""

    url: str
    model: str
    key: str = ""

    @property
    def name(self) -> str:
        secret = hashlib.sha256(self.key.encode()).hexdigest()[:6] if self.key else "open"
        return f"{urlsplit(self.url).netloc}/{self.model}#{secret}"

    def ask(
        self, messages: Sequence[Message], schema: Mapping[str, object], *, most_tokens: int, timeout_seconds: float
    ) -> Answer:
        begun = clock.monotonic()
        status, headers, raw = self._post(
            json.dumps(body(self.model, messages, schema, most_tokens)).encode(), timeout_seconds
        )
        if status != 200:
            raise _refusal(status, headers, raw)
        return _answer(raw, 1000 * (clock.monotonic() - begun))

    def _post(self, sent: bytes, timeout_seconds: float) -> tuple[int, Mapping[str, str], str]:
        address = urlsplit(self.url)
        line = self._line(address.scheme, address.hostname or "", address.port, timeout_seconds)
        over = threading.Event()
        alarm = threading.Timer(timeout_seconds, _hang_up, (line, over))
        alarm.daemon = True
        alarm.start()
        try:
            headers = {"Content-Type": "application/json", "Accept": "application/json"}
            if self.key:
                headers["Authorization"] = f"Bearer {self.key}"
            line.request("POST", address.path.rstrip("/") + "/chat/completions", sent, headers)
            with line.getresponse() as reply:
                raw = reply.read(MOST_BYTES).decode("utf-8", "replace")
                if over.is_set():
                    raise TimeoutError
                return reply.status, {name.lower(): value for name, value in reply.getheaders()}, raw
        except TimeoutError as error:
            raise Unavailable(f"{address.netloc} did not answer within {timeout_seconds:g} s") from error
        except (OSError, http.client.HTTPException) as error:
            if over.is_set():
                raise Unavailable(f"{address.netloc} did not answer within {timeout_seconds:g} s") from TimeoutError()
            raise Unavailable(f"{address.netloc} cannot be reached ({type(error).__name__})") from error
        finally:
            alarm.cancel()
            line.close()

    def _line(self, scheme: str, host: str, port: int | None, timeout: float) -> http.client.HTTPConnection:
        if scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=timeout, context=ssl.create_default_context())
        return http.client.HTTPConnection(host, port, timeout=timeout)


def checked_url(url: str) -> str:
    """Return *url*. Raises `Incorrect` for what is no address of an endpoint."""
    address = urlsplit(url)
    if address.scheme not in ("http", "https") or not address.hostname:
        raise Incorrect("SLOWWAVE_MODEL_URL is no address", hint="write it like https://api.openai.com/v1")
    return url


def _answer(raw: str, latency_ms: float) -> Answer:
    try:
        reply = json.loads(raw)
    except ValueError:
        return Answer(raw, latency_ms=latency_ms)
    return answer(reply, raw, latency_ms)


def _refusal(status: int, headers: Mapping[str, str], raw: str) -> Exception:
    said = f"the provider answered {status}"
    wait = _seconds(headers.get("retry-after"))
    if status == 429:
        return Crowded(said, retry_after_seconds=wait or 0.0)
    if status in (400, 413, 422):
        return Refused(said, too_long=status == 413 or any(word in raw.lower() for word in TOO_LONG))
    if status in (401, 402, 403, 404):
        hint = "look at SLOWWAVE_MODEL, SLOWWAVE_MODEL_URL and SLOWWAVE_MODEL_KEY"
        return Unavailable(said, retry_after_seconds=OPERATOR_SECONDS, hint=hint)
    return Unavailable(said, retry_after_seconds=wait or 0.0)


def _seconds(told: str | None) -> float | None:
    """Return how long a provider wants to be left alone: seconds, or until a date."""
    if not told:
        return None
    try:
        return max(0.0, float(told))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(told) - clock.now()).total_seconds())
    except (ValueError, TypeError):
        return None


def _hang_up(line: http.client.HTTPConnection, over: threading.Event) -> None:
    over.set()
    try:
        if line.sock is not None:
            line.sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it has ended by itself meanwhile
