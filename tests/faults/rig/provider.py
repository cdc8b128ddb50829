"""A local provider with OpenAI's protocol, which can be told to misbehave."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from slowwave.domain.model_calls import Message
from tests.contract.model_calls.scripted_models import echo
from tests.local_server import Request, Response, serving_posts

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

    def respond(request: Request) -> Response:
        asked = json.loads(request.body)
        how = provider.next()
        provider.models.add(asked["model"])
        provider.temperatures.add(asked["temperature"])
        if how == "hang":
            provider.over.wait(provider.hang_seconds)
        if how.startswith("429"):
            wait = how.partition(" ")[2]
            return 429, {"Retry-After": wait} if wait else {}, b'{"error": "slow down"}'
        if how.isdigit():
            return int(how), {}, json.dumps({"error": how}).encode()
        messages = asked["messages"]
        text = provider.replies(messages)
        with provider.lock:
            provider.billed[next(one["content"] for one in messages if one["role"] == "user")] += 1
        text = {"garbage": "<html>sign in</html>", "truncated": text[: len(text) // 2]}.get(how, text)
        ended = "length" if how == "truncated" else "stop"
        reply = {
            "model": "echo-1", "choices": [{"message": {"content": text}, "finish_reason": ended}],
            "usage": {"prompt_tokens": 20, "completion_tokens": 10},
        }  # fmt: skip
        return 200, {}, json.dumps(reply).encode()

    with serving_posts(respond) as port:
        provider.url = f"http://127.0.0.1:{port}/v1"
        try:
            yield provider
        finally:
            provider.over.set()
