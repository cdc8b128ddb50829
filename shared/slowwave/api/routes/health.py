"""Health: whether the process lives, whether it can serve, and whether the work keeps up."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from slowwave.api.problems import documented
from slowwave.api.whose import Remembering
from slowwave.memory import health
from slowwave.memory.face import parts_of

router = APIRouter(prefix="/health", tags=["health"])
LATE_SECONDS = 300.0
"""Seconds that due work may wait before an installation counts as one that does not keep up."""


class Live(BaseModel):
    """A process that lives."""

    live: bool = True


class Ready(BaseModel):
    """A process that can serve: Postgres is there, and its schema is this version's."""

    ready: bool = True


class Keeping(BaseModel):
    """The lag of the work over all tenants: how long the oldest has waited, and since when no scheduler ticked."""

    lag_seconds: float
    ticked_seconds_ago: float | None
    keeps_up: bool


@router.get("/live", summary="Whether the process lives")
async def live() -> Live:
    """Answer: asking Postgres is none of it, or a process would be restarted for what it cannot mend."""
    return Live()


@router.get("/ready", summary="Whether it can serve", responses=documented(503))
def ready(memory: Remembering) -> Ready:
    """Answer 200 when Postgres is reachable and its schema is this version's, and 503 with Retry-After when not."""
    health.require_schema(parts_of(memory))
    return Ready()


@router.get("/progress", summary="Whether the work keeps up", responses={
    503: {**documented(503)[503], "model": Keeping, "description": "Due work waits too long, or Postgres is away."},
    **documented(422),
})  # fmt: skip
def progress(
    memory: Remembering, response: Response,
    late_seconds: Annotated[float, Query(gt=0, le=86_400, allow_inf_nan=False)] = LATE_SECONDS,
) -> Keeping:  # fmt: skip
    """Answer how long the oldest due work has waited: 503 when that is more than *late_seconds*."""
    behind = health.behind(parts_of(memory))
    keeps_up = behind.lag_seconds <= late_seconds
    response.status_code = 200 if keeps_up else 503
    return Keeping(lag_seconds=behind.lag_seconds, ticked_seconds_ago=behind.ticked_seconds_ago, keeps_up=keeps_up)
