"""Push: one episode, a batch of them, or a stream of lines."""

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field

from slowwave.api.access import Pushing
from slowwave.api.lines import Answers, answered, lines_of, require_lines
from slowwave.api.problems import documented
from slowwave.api.told import Told, told
from slowwave.api.whose import Remembering, Whose
from slowwave.domain.episode import Episode

router = APIRouter(prefix="/v1", tags=["push"])
STREAM = "/v1/push/stream"
MOST_ITEMS = 10_000


def _with_an_episode(schema: dict[str, Any]) -> None:
    """Add the fields of an episode to the *schema* of what is pushed."""
    episode = Episode.model_json_schema()
    schema["properties"] |= episode["properties"]
    schema["anyOf"] = episode["anyOf"]
    schema["additionalProperties"] = False


class Pushed(Whose):
    """An episode, and whose memory it goes to. Push it again by the same `key`: it is stored once."""

    model_config = ConfigDict(extra="allow", json_schema_extra=_with_an_episode)


class Batch(Whose):
    """Episodes of one memory, in their order."""

    episodes: list[dict[str, Any] | str] = Field(min_length=1, max_length=MOST_ITEMS)


class Receipts(BaseModel):
    """A receipt for each episode of a batch, in their order."""

    items: list[Told]


_REFUSALS = documented(400, 401, 403, 413, 415, 422, 429, 500, 503)


@router.post("/push", status_code=201, summary="Store one episode", response_description="It is stored.", responses={
    202: {"model": Told, "description": "Postgres is away; this host keeps it and stores it later."},
    **documented(409), **_REFUSALS,
})  # fmt: skip
def push(caller: Pushing, memory: Remembering, pushed: Pushed, response: Response) -> Told:
    """Store one episode durably. 201 says that it is committed; pushing its key again answers the same, `repeated`."""
    receipt = told(pushed.of(memory, caller).push(pushed.model_extra or {}))
    response.status_code = 201 if receipt.state == "stored" else 202
    return receipt


@router.post("/push/batch", status_code=201, summary="Store many episodes", response_description="All are stored.",
    responses={
        202: {"model": Receipts, "description": "Postgres is away; this host keeps them and stores them later."},
        207: {"model": Receipts, "description": "Some were refused: each receipt says how it went."},
        **_REFUSALS,
    },
)  # fmt: skip
def push_batch(caller: Pushing, memory: Remembering, batch: Batch, response: Response) -> Receipts:
    """Store episodes in their order, with a receipt for each: 201 where all are stored, 207 where some were refused."""
    receipts = [told(one) for one in batch.of(memory, caller).push_many(batch.episodes)]
    states = {one.state for one in receipts}
    response.status_code = 207 if "refused" in states else 202 if "spooled" in states else 201
    return Receipts(items=receipts)


@router.post(
    "/push/stream", summary="Store lines as they come", response_class=Answers,
    openapi_extra={"requestBody": {"required": True, "content": {"application/x-ndjson": {
        "schema": {"type": "string", "description": "on each line what `/v1/push` takes"}}}}},
    responses={
        200: {"description": "A receipt a line, in their order; a line that was refused says why.",
              "content": {"application/x-ndjson": {"schema": {"type": "string"}}}},
        **documented(401, 403, 415, 429, 500, 503),
    },
)  # fmt: skip
async def push_stream(request: Request, caller: Pushing, memory: Remembering) -> Answers:
    """Store episodes of JSON Lines as they come, however many, each with a receipt in a line of the answer.

    Read the answer while you send: a client that does not stops both once the connection is full.
    """
    require_lines(request)

    def store(line: dict[str, Any]) -> Told:
        pushed = Pushed.model_validate(line)
        return told(pushed.of(memory, caller).push(pushed.model_extra or {}))

    async def receipts() -> Any:
        async for line in lines_of(request, request.app.state.most_bytes):
            yield await run_in_threadpool(answered, line, store)

    return Answers(receipts())
