"""Routes that report deltas as they are applied: a stream of events, and webhooks of the tenant."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field, TypeAdapter
from starlette.concurrency import run_in_threadpool

from slowwave.api.access import Authentication, Body, Operating, Recalling, Remembering
from slowwave.api.problems import ASKED, FOUND, LISTED
from slowwave.api.responses import Page
from slowwave.domain.arguments import Instant, Name
from slowwave.domain.delta import AppliedDelta, Kind
from slowwave.domain.webhook import Webhook
from slowwave.errors import Crowded, SlowwaveError, Unavailable
from slowwave.memory.subscriptions import KINDS, PostgresDeltas, Webhooks
from slowwave.memory.verb_group import parts_of
from slowwave.runtime import clock
from slowwave.subscriptions.deltas import SINCE

delta_stream_router = APIRouter(prefix="/v1", tags=["deltas"])
HEARTBEAT_SECONDS = 15.0
"""The longest silence of a stream in seconds. Proxies close silent connections, and a write detects a lost client."""
AGAIN_MILLISECONDS = 2_000
_JSON = TypeAdapter(AppliedDelta)
webhooks_router = APIRouter(prefix="/v1/webhooks", tags=["webhooks"])


@delta_stream_router.get(
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
        **FOUND,
    },
)
def stream(
    request: Request, caller: Recalling, memory: Remembering, after: Name | None = None, since: Instant | None = None,
    kind: Kind | None = None, user: Name | None = None, agent: Name | None = None, channel: Name | None = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> StreamingResponse:  # fmt: skip
    """Stream the deltas of the tenant or of one scope as runs apply them, each delta once, in the order of application.

    Each event is a `delta`, with the delta's id. To miss no delta, reconnect with the last id in `Last-Event-ID`, as
    browsers do, or in *after*. Without both, the stream starts now, or at *since*. The response header `Slowwave-Since`
    has the start time. A client that lost the connection before the first event sends this time as *since*. With a
    *user*, the stream has only the deltas of this user's scope. A comment every 15 s shows that the stream is alive.
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
    """Yield the events. Between two queries, the stream holds no thread and no database connection.

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


class Wanted(Body):
    """A new webhook: its address, and the selection of deltas."""

    url: Name
    kinds: list[Kind] = Field(default_factory=lambda: list(KINDS), min_length=1)
    user: Name | None = None
    agent: Name | None = None
    channel: Name | None = None


class Made(BaseModel):
    """A created webhook, and its signing secret, which is shown only once."""

    webhook: Webhook
    secret: str


class Tried(BaseModel):
    """The response of a tested receiver: the status (null without a response), whether the receiver accepted the
    delivery, and a description.
    """

    status: int | None
    accepted: bool
    description: str


def _webhooks(memory: Remembering) -> Webhooks:
    """Return the webhooks of the installation."""
    return Webhooks(parts_of(memory))


Hooks = Annotated[Webhooks, Depends(_webhooks)]


@webhooks_router.post("", status_code=201, summary="Make a webhook", responses=ASKED)
def create(caller: Operating, hooks: Hooks, wanted: Wanted) -> Made:
    """Create a webhook that sends each new delta, signed, to an address; return the secret, which is shown
    only once.
    """
    made, secret = hooks.create(
        wanted.url, kinds=wanted.kinds, user=wanted.user, agent=wanted.agent, channel=wanted.channel,
        tenant=caller.tenant,
    )  # fmt: skip
    return Made(webhook=made, secret=secret)


@webhooks_router.get("", summary="List webhooks", responses=LISTED)
def listing(caller: Operating, hooks: Hooks) -> Page[Webhook]:
    """Return every webhook of the tenant, oldest first, each with its last delivered delta and its current error."""
    return Page(items=list(hooks.listing(tenant=caller.tenant)))


@webhooks_router.delete("/{webhook}", summary="Remove a webhook", responses=FOUND)
def remove(caller: Operating, hooks: Hooks, webhook: uuid.UUID) -> Webhook:
    """Remove a webhook and its secret permanently."""
    return hooks.remove(webhook, tenant=caller.tenant)


@webhooks_router.post("/{webhook}/enable", summary="Enable a webhook", responses=FOUND)
def enable(caller: Operating, hooks: Hooks, webhook: uuid.UUID) -> Webhook:
    """Resume deliveries to a failed webhook at once, beginning with the first delta that was not delivered."""
    return hooks.enable(webhook, tenant=caller.tenant)


@webhooks_router.post("/{webhook}/test", summary="Try a webhook", responses=FOUND)
def test(caller: Operating, hooks: Hooks, webhook: uuid.UUID) -> Tried:
    """Send the receiver a signed `webhook.test` once, and return its response."""
    answer = hooks.test(webhook, tenant=caller.tenant)
    return Tried(status=answer.status, accepted=answer.accepted, description=answer.description)
