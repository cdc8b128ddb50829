"""Lines of batch files: requests in the format of a provider's batch interface, and its replies.

OpenAI's format is also read by vLLM and others; Anthropic has its own. The `custom_id` is the key of the request.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from slowwave.domain.model_calls.chunk import Answer, Chunk
from slowwave.errors import Incorrect, Refused, Unavailable
from slowwave.inference.providers import openai_body
from slowwave.inference.providers.openai_body import body, count


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
    """Return the key in a reply's line, and its answer or the reason why there is none; reads either format.

    Raises `Incorrect` for a line that is not a reply.
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
    return openai_body.answer(reply, json.dumps(reply))


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
