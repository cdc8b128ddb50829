"""Streams of JSON Lines: each line is read when it arrives, and gets one response line."""

import contextlib
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from fastapi import HTTPException, Request
from fastapi.responses import StreamingResponse
from pydantic import ValidationError

from slowwave.api.problems import problem_of
from slowwave.api.responses import Told
from slowwave.api.size_limit import Message, Receive, Send
from slowwave.domain.episode import problems_of
from slowwave.errors import Incorrect, SlowwaveError

TYPES = ("application/x-ndjson", "application/jsonl", "application/json-seq")


class LineResponses(StreamingResponse):
    """A response that is sent while the request is still being read; nothing else may read that request."""

    media_type = TYPES[0]

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:  # noqa: ARG002  # as ASGI has it
        """Send each line when it is ready; stop when the client disconnects."""
        with contextlib.suppress(OSError):
            await self.stream_response(send)


def require_lines(request: Request) -> None:
    """Raise status 415 if *request* has a type other than JSON Lines."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in TYPES:
        raise HTTPException(415, f"a stream must have the type {TYPES[0]}")


async def lines_of(request: Request, most_bytes: int) -> AsyncIterator[bytes | None]:
    """Give each line that is not blank; None for a line over *most_bytes*, which is discarded."""
    held, skipping = bytearray(), False
    async for chunk in _chunks(request):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            held += end
            if skipping or len(held) > most_bytes:
                yield None
            elif held.strip():
                yield bytes(held)
            held, skipping = bytearray(), False
        held += rest
        if len(held) > most_bytes:
            held, skipping = bytearray(), True
    if skipping or len(held) > most_bytes:
        yield None
    elif held.strip():
        yield bytes(held)


async def _chunks(request: Request) -> AsyncIterator[bytes]:
    """Give the parts of the body when they arrive; ends with the body, or when the client disconnects."""
    more = True
    while more:
        message = await request.receive()
        more = message.get("more_body", False)
        yield message.get("body", b"")


def line_receipt(line: bytes | None, store: Callable[[dict[str, Any]], Told]) -> bytes:
    """Return the receipt of a line as JSON; a line that cannot be stored is `refused`, and the stream continues."""
    try:
        receipt = store(_read(line))
    except ValidationError as error:
        wrong = Incorrect.listing("this line", problems_of(error), hint="send one object per line, as for /v1/push")
        receipt = Told(id=None, key="", state="refused", problem=problem_of(wrong))
    except SlowwaveError as error:
        receipt = Told(id=None, key="", state="refused", problem=problem_of(error))
    return receipt.model_dump_json(exclude_none=True).encode() + b"\n"


def _read(line: bytes | None) -> dict[str, Any]:
    if line is None:
        raise Incorrect("this line is too long", hint="split it into several episodes")
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise Incorrect("this line is not JSON", hint="send one object per line, in UTF-8") from None
    if not isinstance(found, dict):
        raise Incorrect("this line is not a JSON object", hint="send one object per line, as for /v1/push")
    return found
