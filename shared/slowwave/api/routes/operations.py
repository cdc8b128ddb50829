"""Operations: runs, pending work, the schedule, dead letters, statistics, model budgets, the end of sessions, and
canaries (new versions of packs that read in a share of the scopes).
"""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, Field

from slowwave.api.access import Body, Operating, Remembering, ScopeNames, TenantInQuery, allowed, operating_all
from slowwave.api.problems import ASKED, CHANGED, FOUND, LISTED, documented
from slowwave.api.responses import Page, page
from slowwave.domain.access import Quota
from slowwave.domain.arguments import Hours, Limit, Most, Name, Note, Number
from slowwave.domain.canary import CanaryStatus, DecidedCanary, StoredCanary
from slowwave.domain.dead_letter import DeadLetter
from slowwave.domain.encryption import DataKey, StaleRows
from slowwave.domain.finding import Finding
from slowwave.domain.limits import MOST_RESULTS
from slowwave.domain.overview import Due, ModelCallsOverview, Overview, PastRun, Waiting
from slowwave.domain.stats import Stats
from slowwave.jobs.tick import listing
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


operating_router = APIRouter(prefix="/v1", tags=["operating"])
canaries_router = APIRouter(prefix="/v1/canaries", tags=["canaries"])
_OF_ALL = [Depends(operating_all)]
"""The permission for operations on all tenants, or on a tenant that the request names."""


class Letters(Body):
    """The dead letters to retry, by number."""

    letters: list[Number] = Field(min_length=1, max_length=MOST_RESULTS)


class Coming(BaseModel):
    """One schedule of a job, and the times of the next runs."""

    name: str
    job: str
    pack: str
    kind: str
    paused: bool
    last_fired: datetime | None
    next_runs: list[datetime]


class Taken(BaseModel):
    """The number of retried letters."""

    retried: int


class ToCheck(Body):
    """The extent of a check."""

    rebuild: bool = Field(False, description="whether to check every ledger and seal, not a daily selection")


class OfTenant(Body):
    """The tenant of an operation."""

    tenant: Name | None = Field(None, description="by default the tenant of the key")


class Limited(OfTenant):
    """The new limit of a tenant, of each user, or of one user."""

    most: Most
    user: Name | None = Field(None, description="the user of the quota")
    each_user: bool = Field(False, description="whether the quota is one of each user")


class Session(ScopeNames):
    """A session to end."""

    session: Name


class Ended(BaseModel):
    """The work that is due because a session ended."""

    due: list[Due]


@operating_router.get("/status", summary="Show stored and pending work", responses=LISTED)
def status(caller: Operating, memory: Remembering) -> Overview:
    """Return the amount of stored data, and the state of the work on it."""
    return memory.operator(tenant=caller.tenant).overview()


@operating_router.get("/stats", summary="Show statistics", responses=LISTED)
def stats(caller: Operating, memory: Remembering, hours: Hours = 24) -> Stats:
    """Return sizes, recall latency, work lag, tiers and hit rates of the last hours."""
    return memory.stats(tenant=caller.tenant, hours=hours)


@operating_router.get("/runs", summary="List runs", responses=LISTED)
def runs(caller: Operating, memory: Remembering, limit: Limit = 20, before: Number | None = None) -> Page[PastRun]:
    """Return the latest runs of the tenant and of the installation, newest first."""
    return page(memory.operator(tenant=caller.tenant).runs(limit, before=before), limit, lambda one: one.run)


@operating_router.get("/runs/{run}", summary="Show a run", responses=FOUND)
def show_run(caller: Operating, memory: Remembering, run: Number) -> PastRun:
    """Return one run."""
    return memory.operator(tenant=caller.tenant).run(run)


@operating_router.get("/intents", summary="List pending work", responses=LISTED)
def intents(caller: Operating, memory: Remembering) -> Page[Waiting]:
    """Return the pending work by job, with the time when each job's first work is due."""
    return Page(items=memory.operator(tenant=caller.tenant).queue())


@operating_router.get(
    "/schedule", summary="List the schedule", responses=LISTED, dependencies=[Depends(allowed("operate"))]
)
def schedule(memory: Remembering) -> Page[Coming]:
    """Return every schedule of the installation, with the times of the next two runs."""
    return Page(items=[
        Coming(
            name=one.schedule.name, job=one.schedule.job, pack=one.schedule.pack, kind=one.schedule.kind,
            paused=one.schedule.paused, last_fired=one.schedule.last_fired, next_runs=list(one.next_runs),
        )
        for one in listing(parts_of(memory).schedule)
    ])  # fmt: skip


@operating_router.get("/dead-letters", summary="List dead letters", responses=LISTED)
def dead_letters(
    caller: Operating, memory: Remembering, limit: Limit = 100, after: Number | None = None, everything: bool = False,
) -> Page[DeadLetter]:  # fmt: skip
    """Return the open dead letters, oldest first. With *everything*, include retried and dropped letters."""
    found = memory.operator(tenant=caller.tenant).dead_letters(limit, after=after, everything=everything)
    return page(found, limit, lambda one: one.letter)


@operating_router.post("/dead-letters/retry", summary="Retry dead letters", responses=CHANGED)
def retry(caller: Operating, memory: Remembering, chosen: Letters) -> Taken:
    """Retry open dead letters; return their number.

    Workers read the episodes of the letters again. If a letter has a message that could not be parsed and now can be,
    the message is stored.
    """
    return Taken(retried=memory.operator(tenant=caller.tenant).retry(chosen.letters))


@operating_router.get("/budget", summary="Show model calls and budgets", responses=LISTED)
def budget(caller: Operating, memory: Remembering) -> ModelCallsOverview:
    """Return the pending model calls, today's spending and budget, and each provider's circuit breaker."""
    return memory.operator(tenant=caller.tenant).budget()


@operating_router.get("/quotas", summary="List quotas", responses=LISTED)
def quotas(tenant: TenantInQuery, memory: Remembering) -> Page[Quota]:
    """Return the quotas of the tenant and its users, each with the amount that is left.

    To name another tenant than that of the key, the caller needs a key of the tenant SLOWWAVE_TENANT.
    """
    return Page(items=memory.quotas.listing(tenant=tenant))


@operating_router.put("/quotas/{what}", summary="Set a quota", responses=ASKED, dependencies=_OF_ALL)
def set_quota(memory: Remembering, what: Name, limit: Limited) -> Page[Quota]:
    """Set a quota of a tenant, of each user or of one user; return the quotas of the tenant.

    The caller needs a key of the tenant SLOWWAVE_TENANT that allows `operate`.
    """
    memory.quotas.set(what, **limit.model_dump())
    return Page(items=memory.quotas.listing(tenant=limit.tenant))


@operating_router.delete("/quotas/{what}", summary="Remove a quota", responses=FOUND, dependencies=_OF_ALL)
def remove_quota(
    memory: Remembering, what: Name, user: Name | None = None, each_user: bool = False, tenant: Name | None = None
) -> Page[Quota]:
    """Remove a quota of a tenant, of each user or of one user; return the quotas of the tenant.

    The caller needs a key of the tenant SLOWWAVE_TENANT that allows `operate`.
    """
    memory.quotas.remove(what, user=user, each_user=each_user, tenant=tenant)
    return Page(items=memory.quotas.listing(tenant=tenant))


@operating_router.get("/encryption", summary="List data keys", responses=LISTED, dependencies=_OF_ALL)
def data_keys(memory: Remembering, tenant: Name | None = None) -> Page[DataKey]:
    """Return the data keys of a tenant, oldest first, without the keys themselves.

    The caller needs a key of the tenant SLOWWAVE_TENANT that allows `operate`.
    """
    return Page(items=list(memory.encryption.listing(tenant=tenant)))


@operating_router.get("/encryption/status", summary="Count stale rows", responses=LISTED, dependencies=_OF_ALL)
def encryption_status(memory: Remembering, tenant: Name | None = None) -> Page[StaleRows]:
    """Count the rows of a tenant with readable words, and with words under an older data key. Reads every row.

    The caller needs a key of the tenant SLOWWAVE_TENANT that allows `operate`.
    """
    return Page(items=list(memory.encryption.status(tenant=tenant)))


@operating_router.post("/encryption/rotate", summary="Add a data key", responses=ASKED, dependencies=_OF_ALL)
def rotate(memory: Remembering, whose: OfTenant) -> DataKey:
    """Add a data key of a tenant, which is used after a minute; return its number and times, without the key itself.

    The caller needs a key of the tenant SLOWWAVE_TENANT that allows `operate`.
    """
    return memory.encryption.rotate(tenant=whose.tenant)


@operating_router.post("/check", summary="Check every invariant", responses=ASKED, dependencies=_OF_ALL)
def check(memory: Remembering, extent: ToCheck) -> Page[Finding]:
    """Return the violations of invariants in all tenants, as ids and numbers. Writes nothing.

    The caller needs a key of the tenant SLOWWAVE_TENANT that allows `operate`.
    """
    return Page(items=memory.check(rebuild=extent.rebuild))


@operating_router.post("/sessions/end", summary="End a session", responses=CHANGED)
def end_session(caller: Operating, memory: Remembering, over: Session) -> Ended:
    """End a session; return the work that is now due because the session ended."""
    return Ended(due=over.of(memory, caller).end_session(over.session))


class ToRollBack(Body):
    """A decision to end a canary."""

    by: Name | None = Field(None, description="the person who decides")
    reason: Note = ""
    timeout: Annotated[
        float, Field(ge=0, le=60, allow_inf_nan=False, description="seconds to wait for busy workers")
    ] = 20.0


class ToPromote(ToRollBack):
    """A decision to let a canary read in all scopes."""

    replay: bool = Field(False, description="whether to replay the new version in all scopes of all tenants")


@canaries_router.get("", summary="List canaries", responses=LISTED, dependencies=[Depends(allowed("operate"))])
def canaries(memory: Remembering) -> Page[StoredCanary]:
    """Return the present and past canaries of all packs: declared ones first."""
    return Page(items=memory.canaries.listing())


@canaries_router.get("/{pack}", summary="Compare a canary", responses=LISTED)
def show_canary(caller: Operating, memory: Remembering, pack: Name) -> CanaryStatus:
    """Return how the canary of a pack has read in the tenant, compared with the installed version.

    For an earlier canary, *pack* is NAME@VERSION.
    """
    return memory.canaries.status(pack, tenant=caller.tenant)


@canaries_router.post(
    "/{pack}/promote", summary="Promote a canary", responses=ASKED, dependencies=[Depends(operating_all)]
)
def promote(memory: Remembering, pack: Name, request: ToPromote) -> DecidedCanary:
    """Let a canary read in all scopes of all tenants.

    The caller needs a key of the tenant SLOWWAVE_TENANT that allows `operate`.
    """
    return memory.canaries.promote(pack, **request.model_dump())


@canaries_router.post(
    "/{pack}/roll-back", summary="Roll a canary back", responses=ASKED, dependencies=[Depends(operating_all)]
)
def roll_back(memory: Remembering, pack: Name, request: ToRollBack) -> DecidedCanary:
    """End a canary in all tenants, and take back what it has read, also in replays.

    For an earlier canary, *pack* is NAME@VERSION. The installed version reads again what the canary has read. The
    result names the scopes that are not rolled back, with what to do.

    The caller needs a key of the tenant SLOWWAVE_TENANT that allows `operate`.
    """
    return memory.canaries.roll_back(pack, **request.model_dump())
