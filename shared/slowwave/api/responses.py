"""Bodies of requests and responses: size limits, pages in JSON, and streams of JSON Lines."""

import contextlib
import json
import uuid
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from typing import Any, Generic, Literal, TypeVar

from fastapi import HTTPException, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field, ValidationError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from slowwave.api.problems import Problem, problem_of
from slowwave.domain.episode import problems_of
from slowwave.domain.receipt import Receipt
from slowwave.errors import Incorrect, SlowwaveError

T = TypeVar("T")
TYPES = ("application/x-ndjson", "application/jsonl", "application/json-seq")


class SizeLimit:
    """An ASGI application that passes requests of at most *most* bytes to *app*.

    Requests to the paths in *streams* have a limit per line instead.
    """

    def __init__(self, app: ASGIApp, most: int, streams: Collection[str] = ()) -> None:
        self._app = app
        self._most = most
        self._streams = frozenset(streams)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request; refuse it with status 413 if Content-Length or the received body exceeds the limit."""
        if scope["type"] != "http" or scope["path"] in self._streams:
            return await self._app(scope, receive, send)
        announced, read = Request(scope).headers.get("content-length", "0"), 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._most or (announced.isascii() and announced.isdigit() and int(announced) > self._most):
                raise HTTPException(413, f"a request may have at most {self._most} bytes")
            return message

        return await self._app(scope, counted, send)


class Page(BaseModel, Generic[T]):
    """One page of a list. *next* is the cursor of the next page, and is null on the last page."""

    items: list[T]
    next: str | None = Field(None, description="the cursor of the next page")


def page(items: Sequence[T], limit: int, cursor: Callable[[T], object]) -> Page[T]:
    """Return *items* as a page. If there are *limit* items, the page also has the cursor of the next page."""
    return Page(items=list(items), next=str(cursor(items[-1])) if len(items) >= limit else None)


def in_json(model: BaseModel, status: int = 200) -> Response:
    """Return the response with *model*. FastAPI would validate the model again, in another thread."""
    return Response(model.model_dump_json(), status, media_type="application/json")


class EpisodeReceipt(BaseModel):
    """The receipt of one episode: `stored` in Postgres, `spooled` in the host's outbox, or `refused`."""

    id: uuid.UUID | None
    key: str
    state: Literal["stored", "queued", "spooled", "refused"]
    position: int | None = None
    repeated: bool = Field(False, description="whether its key had been pushed before")
    problem: Problem | None = Field(None, description="why it was refused")
    masked: list[str] = Field(default_factory=list, description="the kinds of secrets masked in it, like `password`")


def json_response(receipt: Receipt) -> EpisodeReceipt:
    """Return *receipt* in its HTTP form."""
    return EpisodeReceipt(
        id=receipt.id, key=receipt.key, state=receipt.state, position=receipt.position, repeated=receipt.repeated,
        problem=None if receipt.error is None else problem_of(receipt.error), masked=list(receipt.masked),
    )  # fmt: skip


class LineResponses(StreamingResponse):
    """A response that is sent while the request is still being read. No other code may read this request."""

    media_type = TYPES[0]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002  # as ASGI has it
        """Send each line when it is ready; stop when the client disconnects."""
        with contextlib.suppress(OSError):
            await self.stream_response(send)


def require_lines(request: Request) -> None:
    """Raise status 415 if *request* has a type other than JSON Lines."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in TYPES:
        raise HTTPException(415, f"a stream must have the type {TYPES[0]}")


async def lines_of(request: Request, most_bytes: int) -> AsyncIterator[bytes | None]:
    """Yield each line that is not blank. For a line with more than *most_bytes*, yield None, and discard the line."""
    buffer, skipping = bytearray(), False
    async for chunk in _chunks(request):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            buffer += end
            if skipping or len(buffer) > most_bytes:
                yield None
            elif buffer.strip():
                yield bytes(buffer)
            buffer, skipping = bytearray(), False
        buffer += rest
        if len(buffer) > most_bytes:
            buffer, skipping = bytearray(), True
    if skipping or len(buffer) > most_bytes:
        yield None
    elif buffer.strip():
        yield bytes(buffer)


async def _chunks(request: Request) -> AsyncIterator[bytes]:
    """Yield the parts of the body when they arrive, until the body ends or the client disconnects."""
    more = True
    while more:
        message = await request.receive()
        more = message.get("more_body", False)
        yield message.get("body", b"")


def line_receipt(line: bytes | None, store: Callable[[dict[str, Any]], EpisodeReceipt]) -> bytes:
    """Return the receipt of a line as JSON.

    The receipt is `refused` if the line cannot be stored; the stream continues.
    """
    try:
        receipt = store(_read(line))
    except ValidationError as error:
        wrong = Incorrect.listing("this line", problems_of(error), hint="send one object per line, as for /v1/push")
        receipt = EpisodeReceipt(id=None, key="", state="refused", problem=problem_of(wrong))
    except SlowwaveError as error:
        receipt = EpisodeReceipt(id=None, key="", state="refused", problem=problem_of(error))
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
