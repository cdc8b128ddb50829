"""HTTP calls to one server, with persistent connections and safe retries. Problem documents are raised as errors."""

import contextlib
import functools
import http.client
import json
import os
import socket
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from slowwave.errors import Incorrect, Unavailable
from slowwave.formatting import brief
from slowwave.remote.problems import error_of
from slowwave.runtime import clock
from slowwave.subscriptions import OpenSubscriptions
from slowwave.threads import Pause

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.05, 2.0
MOST_IDLE = 8
"""The maximum number of idle connections kept open."""

T = TypeVar("T")
Connection = http.client.HTTPConnection
Stream = tuple[Connection, socket.socket, http.client.HTTPResponse]


def is_http(url: object) -> bool:
    """Return whether *url* is the address of a server, not of a database."""
    return isinstance(url, str) and url.lower().startswith(("http://", "https://"))


class HttpConnection:
    """HTTP calls to the server at *url*. Safe to share between threads, and to use after a fork."""

    def __init__(self, url: str, key: str | None, timeout_seconds: float, patience_seconds: float) -> None:
        self.url = url
        self._key = _sendable(key)
        self._timeout_seconds, self._patience_seconds = timeout_seconds, patience_seconds
        self._secure, self._host, self._port, self._base = _parts(url)
        self._idle: deque[Connection] = deque(maxlen=MOST_IDLE)
        self._process = os.getpid()
        self.followers = OpenSubscriptions()
        self.closed = False

    def get(self, path: str, **query: Any) -> Any:
        """Return the server's response. Arguments that are None are left out.

        Raises the errors of `slowwave.errors`.
        """
        return self.send("GET", path, query)

    def post(self, path: str, body: Mapping[str, Any], *, again: bool = True) -> Any:
        """Return the server's response to *body*. Values that are None are left out.

        *again* is True if it is safe to send the request a second time. Such a request is retried for
        *patience_seconds*, with back-off and Retry-After, even if the first attempt may have succeeded. Any other
        request is retried only if it was not sent.
        """
        return self.send("POST", path, body, again=again)

    def send(self, method: str, path: str, fields: Mapping[str, Any], *, again: bool = True) -> Any:
        """Send *fields* in the query of a GET or DELETE, else as the body; return the response. See `post`."""
        if method in ("GET", "DELETE"):
            return self.ask(method, _with_query(path, fields), again=again)
        body = {name: _json_value(value) for name, value in fields.items() if value is not None}
        return self.ask(method, path, json.dumps(body, ensure_ascii=False).encode(), again=again)

    def ask(self, method: str, path: str, body: bytes | None = None, *, again: bool = True) -> Any:
        """Return the JSON of a response. Raises `Unavailable` if the retries of *patience_seconds* fail."""
        return self._patiently(lambda: self._once(method, path, body, fresh=not again), again=again)

    def stream(self, path: str, silence_seconds: float, *, patient: bool, **query: Any) -> Stream:
        """Send a request on a separate connection; return the connection, its socket, and the unread response.

        If *patient* is True, the request is retried as in `get`. Reading raises `TimeoutError` after *silence_seconds*
        without data. Raises the errors of `slowwave.errors`.
        """
        begin = functools.partial(self._streamed, _with_query(path, query), silence_seconds)
        return self._patiently(begin) if patient else begin()

    def _streamed(self, path: str, silence_seconds: float) -> Stream:
        connection = self._connection(fresh=True)
        connection.timeout = silence_seconds
        try:
            connection.connect()
            sock = connection.sock
            connection.request("GET", self._base + path, headers=self._headers("text/event-stream"))
            answer = connection.getresponse()
            text = answer.read() if answer.status >= 400 else b""
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise server_unreachable(self.url, error, begun=False) from None
        if answer.status >= 400:
            connection.close()
            raise error_of(answer.status, answer.headers, text)
        return connection, sock, answer

    def _headers(self, accepted: str) -> dict[str, str]:
        return {"Accept": accepted, **({} if self._key is None else {"Authorization": f"Bearer {self._key}"})}

    def _patiently(self, once: Callable[[], T], *, again: bool = True) -> T:
        end = clock.monotonic() + self._patience_seconds
        pause = Pause(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)
        while True:
            if self.closed:
                raise Incorrect("the memory is closed", hint="connect another one")
            try:
                return once()
            except Unavailable as error:
                wait = max(pause.seconds, error.retry_after_seconds)
                begun = getattr(error, "begun", True)
                if (begun and not again) or clock.monotonic() + wait > end:
                    raise
                time.sleep(wait)
                pause.double()

    def close(self) -> None:
        """Close every connection. Later calls are refused, and iterations over deltas end."""
        self.closed = True
        self.followers.close()
        while self._idle:
            with contextlib.suppress(IndexError):
                self._idle.pop().close()

    def __repr__(self) -> str:
        return brief(self, self.url)

    def _once(self, method: str, path: str, body: bytes | None, *, fresh: bool) -> Any:
        connection = self._connection(fresh=fresh)
        headers = self._headers("application/json")
        if body is not None:
            headers["Content-Type"] = "application/json"
        connected = connection.sock is not None
        try:
            if not connected:
                connection.connect()
                connected = True
            connection.request(method, self._base + path, body, headers)
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise server_unreachable(self.url, error, begun=connected) from None
        except BaseException:  # after an interrupt, drop the partly read response
            connection.close()
            raise
        if answer.will_close:
            connection.close()
        elif not self.closed:
            self._idle.append(connection)
        if answer.status >= 400:
            raise error_of(answer.status, answer.headers, text)
        with contextlib.suppress(ValueError):
            if isinstance(found := json.loads(text), dict):
                return found
        raise Incorrect(f"{self.url} is not a Slowwave server", hint="use the address that `slowwave serve` prints")

    def _connection(self, *, fresh: bool) -> Connection:
        if self._process != os.getpid():  # do not use the parent's connections
            self._idle, self._process = deque(maxlen=MOST_IDLE), os.getpid()
        if not fresh:
            with contextlib.suppress(IndexError):
                return self._idle.pop()
        made = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        return made(self._host, self._port, timeout=self._timeout_seconds)


def server_unreachable(url: str, error: Exception, *, begun: bool) -> Unavailable:
    """Return the error for a server that did not respond. *begun* is True if the request may have taken effect."""
    unavailable = Unavailable(
        f"{url} does not answer ({type(error).__name__})", retry_after_seconds=FIRST_PAUSE_SECONDS,
        hint="check that `slowwave serve` runs there; requests with a key are safe to repeat",
    )  # fmt: skip
    unavailable.begun = begun  # type: ignore[attr-defined]  # of this room alone
    return unavailable


def at(*names: object) -> str:
    """Return the path made of *names*. Each name is percent-encoded."""
    return "/" + "/".join(quote(str(name), safe="") for name in names)


def _parts(url: str) -> tuple[bool, str, int | None, str]:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if (
        not parts.hostname
        or not (is_http(url) and _is_valid_in_request(url, parts.hostname))
        or parts.query
        or parts.fragment
        or parts.username
    ):
        raise Incorrect(
            "url: is not the address of a server",
            hint="use an address like http://127.0.0.1:8080, and give the key as the argument key",
        )
    return parts.scheme.lower() == "https", parts.hostname, port, parts.path.rstrip("/")


def _is_valid_in_request(url: str, host: str) -> bool:
    """Return whether an HTTP request can contain the address *url* with this *host*."""
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return url.partition("://")[2].partition("/")[2].isascii() and url.isprintable() and " " not in url


def _sendable(key: str | None) -> str | None:
    if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
        raise Incorrect(
            "key: is not a valid key", hint="use the key that `slowwave keys create` printed, without blanks"
        )
    return key


def _with_query(path: str, query: Mapping[str, Any]) -> str:
    encoded = urlencode([pair for name, value in query.items() for pair in _query_pairs(name, value)])
    return f"{path}?{encoded}" if encoded else path


def _query_pairs(name: str, value: Any) -> list[tuple[str, str]]:
    if value is None:
        return []
    if isinstance(value, bool):
        return [(name, "true" if value else "false")]
    if isinstance(value, list | tuple):
        return [pair for one in value for pair in _query_pairs(name, one)]
    return [(name, str(_json_value(value)))]


def _json_value(value: Any) -> Any:
    """Return *value* in its JSON form."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {name: _json_value(one) for name, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_json_value(one) for one in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
