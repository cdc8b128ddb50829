"""A local provider with OpenAI's protocol, which can be told to misbehave."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from slowwave.domain.model_calls import Message
from tests.contract.model_calls.scripted_models import echo

Replies = Callable[[Sequence[Message]], str]
"""A function from the messages of a request to a model's reply."""


@dataclass
class LocalProvider:
    """A local provider with its next replies (*script*, then sound ones), requests, models and temperatures.

    *billed* counts the talk that it replied to. A reply that hangs comes when the test is *over*, or
    after *hang_seconds*.
    """

    script: list[str] = field(default_factory=list)
    replies: Replies = echo
    billed: Counter[str] = field(default_factory=Counter)
    met: list[str] = field(default_factory=list)
    models: set[str] = field(default_factory=set)
    temperatures: set[float] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)
    over: threading.Event = field(default_factory=threading.Event)
    url: str = ""
    hang_seconds: float = 3.0

    def next(self) -> str:
        """Return the behaviour of the next answer."""
        with self.lock:
            how = self.script.pop(0) if self.script else "ok"
            self.met.append(how)
            return how


@contextmanager
def answering(script: list[str] | None = None, replies: Replies = echo) -> Iterator[LocalProvider]:
    """Run a provider during the block."""
    provider = LocalProvider(list(script or []), replies)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            how = provider.next()
            provider.models.add(asked["model"])
            provider.temperatures.add(asked["temperature"])
            if how == "hang":
                provider.over.wait(provider.hang_seconds)
            if how.startswith("429"):
                return self.say(429, {"error": "slow down"}, how.partition(" ")[2])
            if how.isdigit():
                return self.say(int(how), {"error": how})
            messages = asked["messages"]
            text = provider.replies(messages)
            with provider.lock:
                provider.billed[next(one["content"] for one in messages if one["role"] == "user")] += 1
            text = {"garbage": "<html>sign in</html>", "truncated": text[: len(text) // 2]}.get(how, text)
            ended = "length" if how == "truncated" else "stop"
            self.say(200, {
                "model": "echo-1", "choices": [{"message": {"content": text}, "finish_reason": ended}],
                "usage": {"prompt_tokens": 20, "completion_tokens": 10},
            })  # fmt: skip

        def say(self, status: int, body: dict[str, Any], retry_after: str = "") -> None:
            sent = json.dumps(body).encode()
            with suppress(OSError):  # the client may have disconnected
                self.send_response(status)
                if retry_after:
                    self.send_header("Retry-After", retry_after)
                self.send_header("Content-Length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

        def log_message(self, format: str, *args: Any) -> None:
            return None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    provider.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        provider.over.set()
        server.shutdown()
        thread.join(10)
        server.server_close()
