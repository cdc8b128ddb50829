"""A request to an endpoint in OpenAI's protocol: tried once, within one overall time limit."""

import http.client
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from slowwave.errors import Crowded, Incorrect, Refused, Unavailable
from slowwave.http_client import seconds_of, send_request

OPERATOR_SECONDS = 60.0
"""How long calls pause after a wrong key or a missing model: an operator must act, and no request is to blame."""
TOO_LONG = ("context_length", "context length", "maximum context", "too long", "too many tokens", "n_ctx")
"""The words by which endpoints say that a request does not fit into the model's context."""


@dataclass(frozen=True, slots=True)
class ProviderEndpoint:
    """An endpoint at *url* (up to `/v1`), with *key* if one is needed; *settings* names its settings."""

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
    """Return *url*. Raises `Incorrect`, naming the *setting*, if it is not the address of an endpoint."""
    address = urlsplit(url)
    if address.scheme not in ("http", "https") or not address.hostname:
        raise Incorrect(f"{setting} is not an address", hint="write it like https://api.openai.com/v1")
    return url


def _line(scheme: str, host: str, port: int | None, timeout: float) -> http.client.HTTPConnection:
    if scheme == "https":
        return http.client.HTTPSConnection(host, port, timeout=timeout, context=ssl.create_default_context())
    return http.client.HTTPConnection(host, port, timeout=timeout)
