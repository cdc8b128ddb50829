"""Stream of deltas as server-sent events, which a client can resume after its last event."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Request
from fastapi.responses import StreamingResponse
from pydantic import TypeAdapter
from starlette.concurrency import run_in_threadpool

from slowwave.api.access import Authentication, Recalling, Remembering
from slowwave.api.problems import documented
from slowwave.domain.arguments import Instant, Name
from slowwave.domain.delta import AppliedDelta, Kind
from slowwave.errors import Crowded, SlowwaveError, Unavailable
from slowwave.memory.subscriptions import PostgresDeltas
from slowwave.runtime import clock
from slowwave.subscriptions.deltas import SINCE

router = APIRouter(prefix="/v1", tags=["deltas"])
HEARTBEAT_SECONDS = 15.0
"""The longest silence of a stream in seconds: proxies close silent connections, and writing detects a lost client."""
AGAIN_MILLISECONDS = 2_000
_JSON = TypeAdapter(AppliedDelta)


@router.get(
    "/deltas/stream",
    response_class=StreamingResponse,
    responses={
        200: {
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
            "headers": {
                SINCE: {
                    "description": "the start of the stream, if the request gave none",
                    "schema": {"type": "string", "format": "date-time"},
                }
            },
        },
        **documented(401, 403, 404, 422, 429, 500, 503),
    },
)
def stream(
    request: Request, caller: Recalling, memory: Remembering, after: Name | None = None, since: Instant | None = None,
    kind: Kind | None = None, user: Name | None = None, agent: Name | None = None, channel: Name | None = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> StreamingResponse:  # fmt: skip
    """Stream the deltas of the tenant, or of one of its scopes, as runs apply them: each once, in final order.

    Each event is a `delta`, with the delta's id. To miss no delta, reconnect with the last id in `Last-Event-ID`, as
    browsers do, or in *after*. Without both, the stream starts now, or at *since*. The response header `Slowwave-Since`
    has the start time: a client that lost the connection before any event sends this time as *since*. With a *user*,
    the stream has only that scope's deltas. Comments every 15 s show that the stream is alive.
    """
    begin = last_event_id or after
    if user is None:
        following = memory.follow(after=begin, since=since, kind=kind, tenant=caller.tenant)
    else:
        scope = memory.scope(user, agent=agent, channel=channel, tenant=caller.tenant)
        following = scope.follow(after=begin, since=since, kind=kind)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    if following.since is not None:
        headers[SINCE] = following.since.isoformat()
    return StreamingResponse(_events(request, following), media_type="text/event-stream", headers=headers)


async def _events(request: Request, following: PostgresDeltas) -> AsyncIterator[bytes]:
    """Give the events; the stream holds no thread and no connection between two queries.

    While the client does not read, the stream makes no further query.
    """
    yield f"retry: {AGAIN_MILLISECONDS}\n\n".encode()
    alive = clock.monotonic()
    with following:
        while not following.closed:
            try:
                found = await run_in_threadpool(following.read)
            except Unavailable:  # the error was logged
                found = []
            for delta in found:
                yield b"id: %s\nevent: delta\ndata: %s\n\n" % (str(delta.id).encode(), _JSON.dump_json(delta))
            if found:
                alive = clock.monotonic()
                continue
            if clock.monotonic() - alive >= HEARTBEAT_SECONDS:
                if not await run_in_threadpool(_still_allowed, request):
                    return
                yield b": alive\n\n"
                alive = clock.monotonic()
            await asyncio.sleep(following.pause_before_next())


def _still_allowed(request: Request) -> bool:
    """Return whether the key that opened the stream is still valid."""
    door: Authentication = request.app.state.door
    secret = request.headers.get("authorization", "").partition(" ")[2].strip() or None
    try:
        door.admit(secret, "recall")
    except (Crowded, Unavailable):
        return True
    except SlowwaveError:
        return False
    return True
