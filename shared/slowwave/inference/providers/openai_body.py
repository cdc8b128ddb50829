"""The body of a request in OpenAI's protocol, the same for a call and for a line of a batch."""

from collections.abc import Mapping, Sequence
from typing import Any

from slowwave.domain.model_calls.chunk import Answer, Message
from slowwave.errors import Refused


def body(model: str, messages: Sequence[Message], schema: Mapping[str, object], most_tokens: int) -> dict[str, Any]:
    """Return the body of a request at temperature 0, with at most *most_tokens* in the reply."""
    asked: dict[str, Any] = {
        "model": model,
        "messages": list(messages),
        "temperature": 0,
        "max_tokens": most_tokens,
    }
    if schema:
        asked["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "reply", "schema": dict(schema), "strict": True},
        }
    return asked


def answer(reply: Any, raw: str, latency_ms: float | None = None) -> Answer:
    """Return the answer in a *reply*; a reply outside the protocol is kept *raw*, and is unreadable.

    Raises `Refused` if the provider filtered the reply.
    """
    try:
        choice = reply["choices"][0]
        text, ended = choice["message"]["content"], choice.get("finish_reason")
        usage = reply.get("usage") or {}
        said = usage.get("prompt_tokens"), usage.get("completion_tokens")
        model = str(reply.get("model") or "")
    except (KeyError, IndexError, TypeError, AttributeError):
        return Answer(raw, latency_ms=latency_ms)
    if ended == "content_filter":
        raise Refused("the provider filtered it")
    return Answer(
        text if isinstance(text, str) else raw,
        model=model,
        prompt_tokens=count(said[0]),
        reply_tokens=count(said[1]),
        latency_ms=latency_ms,
        cut=ended == "length",
    )


def count(number: object) -> int | None:
    """Return a provider's count of tokens, None if it is not a count."""
    return number if isinstance(number, int) and 0 <= number < 2**31 else None
