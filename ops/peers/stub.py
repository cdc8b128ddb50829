"""An endpoint like OpenAI's that answers at once: its model keeps every sentence as it was said."""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy

from slowwave.ports import Embedder


@dataclass
class Stub:
    """A model that knows which *words* there are, and tells those of a prompt that it has not told yet."""

    words: Sequence[str]
    calls: int = 0
    characters: int = 0
    told: set[str] = field(default_factory=set)

    def reply(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the message that answers *request*: calls of its tool for one thing kept, or else JSON."""
        prompt = json.dumps(request["messages"], ensure_ascii=False)
        self.calls += 1
        self.characters += len(prompt)
        new = [one for one in self.words if one not in self.told and one in prompt]
        self.told.update(new)
        tools = [one["function"]["name"] for one in request.get("tools", []) if _keeps(one["function"])]
        if tools:
            calls = [
                {"id": f"call-{self.calls}-{number}", "type": "function",
                 "function": {"name": tools[0], "arguments": json.dumps({"content": one})}}
                for number, one in enumerate(new)
            ]  # fmt: skip
            return {"role": "assistant", "content": None if calls else "", **({"tool_calls": calls} if calls else {})}
        kept = [{"id": str(number), "text": one} for number, one in enumerate(new)]
        return {"role": "assistant", "content": json.dumps({"memory": kept})}


@contextmanager
def endpoint(stub: Stub, embedder: Embedder) -> Iterator[str]:
    """Give the address of *stub*, with the vectors of *embedder*, on this host."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = json.dumps(_embedded(request) if self.path.endswith("/embeddings") else _chat(request)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing of each request."""

    def _embedded(request: Mapping[str, Any]) -> dict[str, Any]:
        texts = [request["input"]] if isinstance(request["input"], str) else request["input"]
        vectors = numpy.asarray(embedder.embed(texts), dtype=float).tolist()
        data = [{"object": "embedding", "index": number, "embedding": one} for number, one in enumerate(vectors)]
        return {"object": "list", "model": "stub", "data": data, "usage": {"prompt_tokens": 0, "total_tokens": 0}}

    def _chat(request: Mapping[str, Any]) -> dict[str, Any]:
        message = stub.reply(request)
        why = "tool_calls" if message.get("tool_calls") else "stop"
        choice = {"index": 0, "message": message, "finish_reason": why}
        usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
        return {
            "id": "stub", "object": "chat.completion", "created": 0, "model": "stub", "choices": [choice],
            "usage": usage,
        }  # fmt: skip

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def _keeps(function: Mapping[str, Any]) -> bool:
    return "content" in function.get("parameters", {}).get("properties", {})
