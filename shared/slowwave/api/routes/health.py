"""Health of the server, progress of its processes, and metrics of all tenants for Prometheus."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel

from slowwave.api.access import Remembering, operating_all
from slowwave.api.problems import documented
from slowwave.memory import health
from slowwave.memory.metrics import CONTENT_TYPE, Exposition
from slowwave.memory.verb_group import parts_of

health_router = APIRouter(prefix="/health", tags=["health"])
MAX_LAG_SECONDS = 300.0
"""Seconds that due work may wait before the progress check fails."""
metrics_router = APIRouter(tags=["health"])


class Live(BaseModel):
    """A live process."""

    live: bool = True


class Ready(BaseModel):
    """A process that can serve requests: Postgres is reachable, and has the schema of this version."""

    ready: bool = True


class Keeping(BaseModel):
    """The lag of the work of all tenants: how long the oldest due work has waited, and the time since the scheduler's
    last tick.
    """

    lag_seconds: float
    ticked_seconds_ago: float | None
    keeps_up: bool


@health_router.get("/live", summary="Check that the process is alive")
async def live() -> Live:
    """Return at once that the process lives.

    Postgres is not checked, because a restart of this process would not repair Postgres.
    """
    return Live()


@health_router.get("/ready", summary="Check that it can serve", responses=documented(503))
def ready(memory: Remembering) -> Ready:
    """Return 200 if Postgres is reachable and has the schema of this version. Otherwise return 503 with Retry-After."""
    health.require_schema(parts_of(memory))
    return Ready()


@health_router.get("/progress", summary="Check that work keeps up", responses={
    503: {**documented(503)[503], "model": Keeping, "description": "Due work waits too long, or Postgres is down."},
    **documented(422),
})  # fmt: skip
def progress(
    memory: Remembering, response: Response,
    late_seconds: Annotated[float, Query(gt=0, le=86_400, allow_inf_nan=False)] = MAX_LAG_SECONDS,
) -> Keeping:  # fmt: skip
    """Return the waiting time of the oldest due work. The status is 503 if this time exceeds *late_seconds*."""
    lag = health.worker_lag_of(parts_of(memory))
    keeps_up = lag.lag_seconds <= late_seconds
    response.status_code = 200 if keeps_up else 503
    return Keeping(lag_seconds=lag.lag_seconds, ticked_seconds_ago=lag.ticked_seconds_ago, keeps_up=keeps_up)


@metrics_router.get(
    "/metrics", summary="Metrics of the installation, for Prometheus", response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **documented(401, 403, 429, 500, 503)},
    dependencies=[Depends(operating_all)],
)  # fmt: skip
def metrics(request: Request, memory: Remembering) -> Response:
    """Return the output of `slowwave metrics`.

    The caller needs a key of the tenant SLOWWAVE_TENANT that allows `operate`.
    """
    state = request.app.state
    if not hasattr(state, "exposition"):
        state.exposition = Exposition(parts_of(memory))
    exposition: Exposition = state.exposition
    return Response(exposition.text(), media_type=CONTENT_TYPE)
