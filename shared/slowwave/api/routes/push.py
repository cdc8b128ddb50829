"""Push: one episode, a batch, or a stream of lines."""

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field

from slowwave.api.access import Pushing, Remembering, ScopeNames
from slowwave.api.problems import ASKED, documented
from slowwave.api.responses import (
    EpisodeReceipt,
    LineResponses,
    in_json,
    json_response,
    line_receipt,
    lines_of,
    require_lines,
)
from slowwave.domain.episode import Episode

router = APIRouter(prefix="/v1", tags=["push"])
STREAM = "/v1/push/stream"
MOST_ITEMS = 10_000


def _with_an_episode(schema: dict[str, Any]) -> None:
    """Add the fields of an episode to the *schema* of a push request."""
    episode = Episode.model_json_schema()
    schema["properties"] |= episode["properties"]
    schema["anyOf"] = episode["anyOf"]
    schema["additionalProperties"] = False


class Pushed(ScopeNames):
    """An episode, and the memory in which it is stored. A second push with the same `key` stores nothing."""

    model_config = ConfigDict(extra="allow", json_schema_extra=_with_an_episode)


class Batch(ScopeNames):
    """Episodes of one memory, in order."""

    episodes: list[dict[str, Any] | str] = Field(min_length=1, max_length=MOST_ITEMS)


class Receipts(BaseModel):
    """A receipt for each episode of a batch, in order."""

    items: list[EpisodeReceipt]


@router.post("/push", status_code=201, summary="Store one episode", response_description="It is stored.", responses={
    202: {"model": EpisodeReceipt, "description": "Postgres is down; this host keeps the episode and stores it later."},
    **documented(409), **ASKED,
}, response_model=EpisodeReceipt)  # fmt: skip
def push(caller: Pushing, memory: Remembering, pushed: Pushed) -> Response:
    """Store one episode durably. 201 means that Postgres has the episode, and 202 that this host's outbox has it.

    A repeated key returns 201 with `repeated`.
    """
    receipt = json_response(pushed.of(memory, caller).push(pushed.model_extra or {}))
    return in_json(receipt, 201 if receipt.state == "stored" else 202)


@router.post("/push/batch", status_code=201, summary="Store many episodes", response_description="All are stored.",
    responses={
        202: {"model": Receipts, "description": "Postgres is down; this host keeps all and stores them later."},
        207: {"model": Receipts, "description": "Some were refused: each receipt has its outcome."},
        **ASKED,
    },
)  # fmt: skip
def push_batch(caller: Pushing, memory: Remembering, batch: Batch, response: Response) -> Receipts:
    """Store episodes in order; return one receipt per episode.

    The status is 207 if some episodes were refused, 202 if some are in this host's outbox, else 201.
    """
    receipts = [json_response(one) for one in batch.of(memory, caller).push_many(batch.episodes)]
    states = {one.state for one in receipts}
    response.status_code = 207 if "refused" in states else 202 if "spooled" in states else 201
    return Receipts(items=receipts)


@router.post(
    "/push/stream", summary="Store lines as they arrive", response_class=LineResponses,
    openapi_extra={"requestBody": {"required": True, "content": {"application/x-ndjson": {
        "schema": {"type": "string", "description": "on each line an object as for `/v1/push`"}}}}},
    responses={
        200: {"description": "One receipt per line, in order; a refused line has the reason.",
              "content": {"application/x-ndjson": {"schema": {"type": "string"}}}},
        **documented(401, 403, 415, 429, 500, 503),
    },
)  # fmt: skip
async def push_stream(request: Request, caller: Pushing, memory: Remembering) -> LineResponses:
    """Store each line of JSON Lines as an episode when the line arrives; return one line with the receipt per episode.

    Read the response while you send the request. Otherwise both block once the connection's buffers are full.
    """
    require_lines(request)

    def store(line: dict[str, Any]) -> EpisodeReceipt:
        pushed = Pushed.model_validate(line)
        return json_response(pushed.of(memory, caller).push(pushed.model_extra or {}))

    async def receipts() -> Any:
        async for line in lines_of(request, request.app.state.most_bytes):
            yield await run_in_threadpool(line_receipt, line, store)

    return LineResponses(receipts())
