"""A model on the loopback interface that speaks OpenAI's and Anthropic's protocols, whole and streamed."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.local_server import Request, Response, serving_posts

REPLY = "Noted, I will remember."


class Model:
    """A model that always replies REPLY; *heard* are the requests."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []
        self.url = ""


@contextmanager
def model() -> Iterator[Model]:
    """Run a model during the block."""
    one = Model()

    def respond(request: Request) -> Response:
        sent = json.loads(request.body)
        one.heard.append(sent)
        speak = _STREAMS if sent.get("stream") else _WHOLE
        kind = "text/event-stream" if sent.get("stream") else "application/json"
        return 200, {"Content-Type": kind}, speak[request.path.rsplit("/", 1)[-1]]().encode()

    with serving_posts(respond) as port:
        one.url = f"http://127.0.0.1:{port}"
        yield one


def _chat() -> str:
    message = {"role": "assistant", "content": REPLY}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]})


def _chat_stream() -> str:
    lines = []
    for piece in (REPLY[:7], REPLY[7:]):
        choice = {"index": 0, "delta": {"role": "assistant", "content": piece}, "finish_reason": None}
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        lines.append(f"data: {json.dumps(chunk)}\n\n")
    return "".join([*lines, "data: [DONE]\n\n"])


def _message(content: list[dict[str, str]]) -> dict[str, Any]:
    return {
        "id": "m", "type": "message", "role": "assistant", "model": "m", "content": content,
        "stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip


def _messages() -> str:
    return json.dumps(_message([{"type": "text", "text": REPLY}]))


def _messages_stream() -> str:
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": _message([])},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": REPLY}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


_WHOLE = {"completions": _chat, "messages": _messages}
_STREAMS = {"completions": _chat_stream, "messages": _messages_stream}
