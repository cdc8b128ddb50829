"""Health of the server: whether the process is alive, whether it can serve, and whether work keeps up."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from slowwave.api.access import Remembering
from slowwave.api.problems import documented
from slowwave.memory import health
from slowwave.memory.verb_group import parts_of

router = APIRouter(prefix="/health", tags=["health"])
LATE_SECONDS = 300.0
"""Seconds that due work may wait before the progress check fails."""


class Live(BaseModel):
    """A live process."""

    live: bool = True


class Ready(BaseModel):
    """A process that can serve: Postgres is reachable with this version's schema."""

    ready: bool = True


class Keeping(BaseModel):
    """The lag of the work over all tenants: the wait of the oldest due work, and the time since the last tick."""

    lag_seconds: float
    ticked_seconds_ago: float | None
    keeps_up: bool


@router.get("/live", summary="Check that the process is alive")
async def live() -> Live:
    """Return at once, without checking Postgres: a restart of this process would not repair Postgres."""
    return Live()


@router.get("/ready", summary="Check that it can serve", responses=documented(503))
def ready(memory: Remembering) -> Ready:
    """Return 200 if Postgres is reachable and has this version's schema, else 503 with Retry-After."""
    health.require_schema(parts_of(memory))
    return Ready()


@router.get("/progress", summary="Check that work keeps up", responses={
    503: {**documented(503)[503], "model": Keeping, "description": "Due work waits too long, or Postgres is down."},
    **documented(422),
})  # fmt: skip
def progress(
    memory: Remembering, response: Response,
    late_seconds: Annotated[float, Query(gt=0, le=86_400, allow_inf_nan=False)] = LATE_SECONDS,
) -> Keeping:  # fmt: skip
    """Return how long the oldest due work has waited; the status is 503 if it waits for more than *late_seconds*."""
    behind = health.behind(parts_of(memory))
    keeps_up = behind.lag_seconds <= late_seconds
    response.status_code = 200 if keeps_up else 503
    return Keeping(lag_seconds=behind.lag_seconds, ticked_seconds_ago=behind.ticked_seconds_ago, keeps_up=keeps_up)
