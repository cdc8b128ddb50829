"""Stream of deltas: what is learned, as server-sent events, from where a client left off."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Request
from fastapi.responses import StreamingResponse
from pydantic import TypeAdapter
from starlette.concurrency import run_in_threadpool

from slowwave import clock
from slowwave.api.access import Door, Recalling
from slowwave.api.problems import documented
from slowwave.api.whose import Remembering
from slowwave.domain.arguments import Instant, Name
from slowwave.domain.delta import AppliedDelta, Kind
from slowwave.errors import Crowded, SlowwaveError, Unavailable
from slowwave.hearing.deltas import SINCE
from slowwave.memory.hearing.following import Following

router = APIRouter(prefix="/v1", tags=["deltas"])
HEARTBEAT_SECONDS = 15.0
"""How long a stream is silent at most: proxies close what is silent for a minute, and a client that is gone is seen."""
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
                    "description": "from when on it begins, where it was asked for from now on",
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
    """Stream the deltas of the tenant, or of one scope of it, as they come: each once, in an order none overtakes.

    Each event is a `delta`, its id the delta's. Come again with the last one's id in `Last-Event-ID`, as browsers do by
    themselves, or in *after*, and none is missed; without either it begins now, or at *since*. The header
    `Slowwave-Since` tells when now was: a client that was cut off before it heard anything says it in *since*. Where a
    *user* is named, the deltas are those of that scope alone. Comments show every 15 s that the stream is alive.
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


async def _events(request: Request, following: Following) -> AsyncIterator[bytes]:
    """Give the events; between two looks at the database it holds no thread and no connection.

    A client that does not read is waited for without looking further.
    """
    yield f"retry: {AGAIN_MILLISECONDS}\n\n".encode()
    alive = clock.monotonic()
    with following:
        while not following.closed:
            try:
                found = await run_in_threadpool(following.read)
            except Unavailable:  # it is in trouble, and was logged
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
    """Return whether the key with which the stream was asked for still opens it."""
    door: Door = request.app.state.door
    secret = request.headers.get("authorization", "").partition(" ")[2].strip() or None
    try:
        door.admit(secret, "recall")
    except (Crowded, Unavailable):
        return True
    except SlowwaveError:
        return False
    return True
