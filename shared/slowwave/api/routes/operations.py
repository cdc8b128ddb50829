"""Operations: runs, pending work, the schedule, dead letters, statistics, model budgets, and the end of sessions."""

from datetime import datetime

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field

from slowwave.api.access import Operating, Remembering, ScopeNames, allowed
from slowwave.api.problems import documented
from slowwave.api.responses import Page, page
from slowwave.domain.access import Quota
from slowwave.domain.arguments import Hours, Limit, Name, Number
from slowwave.domain.dead_letter import DeadLetter
from slowwave.domain.limits import MOST_RESULTS
from slowwave.domain.overview import Due, ModelCallsOverview, Overview, PastRun, Waiting
from slowwave.domain.stats import Stats
from slowwave.jobs.tick import listing
from slowwave.memory.verb_group import parts_of

router = APIRouter(prefix="/v1", tags=["operating"])
_READ = documented(401, 403, 422, 429, 500, 503)
_WRITTEN = documented(400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503)


class Letters(BaseModel):
    """The dead letters to retry, by number."""

    model_config = ConfigDict(extra="forbid")

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


class Session(ScopeNames):
    """A session to end."""

    session: Name


class Ended(BaseModel):
    """The work that is due because a session ended."""

    due: list[Due]


@router.get("/status", summary="Show stored and pending work", responses=_READ)
def status(caller: Operating, memory: Remembering) -> Overview:
    """Return the amount of stored data, and the state of the work on it."""
    return memory.operator(tenant=caller.tenant).overview()


@router.get("/stats", summary="Show statistics", responses=_READ)
def stats(caller: Operating, memory: Remembering, hours: Hours = 24) -> Stats:
    """Return sizes, recall latency, work lag, tiers and hit rates of the last hours."""
    return memory.stats(tenant=caller.tenant, hours=hours)


@router.get("/runs", summary="List runs", responses=_READ)
def runs(caller: Operating, memory: Remembering, limit: Limit = 20, before: Number | None = None) -> Page[PastRun]:
    """Return the latest runs of the tenant and of the installation, newest first."""
    return page(memory.operator(tenant=caller.tenant).runs(limit, before=before), limit, lambda one: one.run)


@router.get("/runs/{run}", summary="Show a run", responses={**_READ, **documented(404)})
def show_run(caller: Operating, memory: Remembering, run: Number) -> PastRun:
    """Return one run."""
    return memory.operator(tenant=caller.tenant).run(run)


@router.get("/intents", summary="List pending work", responses=_READ)
def intents(caller: Operating, memory: Remembering) -> Page[Waiting]:
    """Return the pending work by job, with the time when each job's first work is due."""
    return Page(items=memory.operator(tenant=caller.tenant).queue())


@router.get("/schedule", summary="List the schedule", responses=_READ, dependencies=[Depends(allowed("operate"))])
def schedule(memory: Remembering) -> Page[Coming]:
    """Return every schedule of the installation, with the times of the next two runs."""
    return Page(items=[
        Coming(
            name=one.schedule.name, job=one.schedule.job, pack=one.schedule.pack, kind=one.schedule.kind,
            paused=one.schedule.paused, last_fired=one.schedule.last_fired, next_runs=list(one.next_runs),
        )
        for one in listing(parts_of(memory).schedule)
    ])  # fmt: skip


@router.get("/dead-letters", summary="List dead letters", responses=_READ)
def dead_letters(
    caller: Operating, memory: Remembering, limit: Limit = 100, after: Number | None = None, everything: bool = False,
) -> Page[DeadLetter]:  # fmt: skip
    """Return the open dead letters, oldest first. With *everything*, include retried and dropped letters."""
    found = memory.operator(tenant=caller.tenant).dead_letters(limit, after=after, everything=everything)
    return page(found, limit, lambda one: one.letter)


@router.post("/dead-letters/retry", summary="Retry dead letters", responses=_WRITTEN)
def retry(caller: Operating, memory: Remembering, chosen: Letters) -> Taken:
    """Retry open dead letters; return their number.

    Workers read the episodes of the letters again. If a letter has a message that could not be parsed and now can be,
    the message is stored.
    """
    return Taken(retried=memory.operator(tenant=caller.tenant).retry(chosen.letters))


@router.get("/budget", summary="Show model calls and budgets", responses=_READ)
def budget(caller: Operating, memory: Remembering) -> ModelCallsOverview:
    """Return the pending model calls, today's spending and budget, and each provider's circuit breaker."""
    return memory.operator(tenant=caller.tenant).budget()


@router.get("/quotas", summary="List quotas", responses=_READ)
def quotas(caller: Operating, memory: Remembering) -> Page[Quota]:
    """Return the quotas of the tenant and its users, each with the amount that is left."""
    return Page(items=memory.quotas.listing(tenant=caller.tenant))


@router.post("/sessions/end", summary="End a session", responses=_WRITTEN)
def end_session(caller: Operating, memory: Remembering, over: Session) -> Ended:
    """End a session; return the work that is now due because the session ended."""
    return Ended(due=over.of(memory, caller).end_session(over.session))
