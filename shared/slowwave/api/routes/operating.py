"""Operation: runs, what waits, the schedule, dead letters, counts, the budget of models, and the ends of sessions."""

from datetime import datetime

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field

from slowwave.api.access import Operating, allowed
from slowwave.api.problems import documented
from slowwave.api.told import Page, page
from slowwave.api.whose import Remembering, Whose
from slowwave.domain.arguments import Hours, Limit, Name, Number
from slowwave.domain.dead_letter import DeadLetter
from slowwave.domain.limits import MOST_RESULTS
from slowwave.domain.metrics.overview import Due, Overview, PastRun, Waiting
from slowwave.domain.metrics.stats import Stats
from slowwave.domain.model.overview import DeskOverview
from slowwave.jobs.tick import listing
from slowwave.memory.face import parts_of

router = APIRouter(prefix="/v1", tags=["operating"])
_READ = documented(401, 403, 422, 429, 500, 503)
_WRITTEN = documented(400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503)


class Letters(BaseModel):
    """Dead letters, by their numbers."""

    model_config = ConfigDict(extra="forbid")

    letters: list[Number] = Field(min_length=1, max_length=MOST_RESULTS)


class Coming(BaseModel):
    """One way in which a job of a pack comes due, and when it does next."""

    name: str
    job: str
    pack: str
    kind: str
    paused: bool
    last_fired: datetime | None
    next_runs: list[datetime]


class Taken(BaseModel):
    """The number of letters that were taken up again."""

    retried: int


class Session(Whose):
    """A session that is over."""

    session: Name


class Ended(BaseModel):
    """The work that is due because a session is over."""

    due: list[Due]


@router.get("/status", summary="Count what there is", responses=_READ)
def status(caller: Operating, memory: Remembering) -> Overview:
    """Answer how much there is, and how far the work on it has come."""
    return memory.operator(tenant=caller.tenant).overview()


@router.get("/stats", summary="Show statistics", responses=_READ)
def stats(caller: Operating, memory: Remembering, hours: Hours = 24) -> Stats:
    """Answer with sizes, latency of recalls, lag of the work, tiers and hit rates of the last hours."""
    return memory.stats(tenant=caller.tenant, hours=hours)


@router.get("/runs", summary="List runs", responses=_READ)
def runs(caller: Operating, memory: Remembering, limit: Limit = 20, before: Number | None = None) -> Page[PastRun]:
    """Answer with the latest runs of the tenant and of the installation, newest first."""
    return page(memory.operator(tenant=caller.tenant).runs(limit, before=before), limit, lambda one: one.run)


@router.get("/runs/{run}", summary="Show a run", responses={**_READ, **documented(404)})
def show_run(caller: Operating, memory: Remembering, run: Number) -> PastRun:
    """Answer with one run."""
    return memory.operator(tenant=caller.tenant).run(run)


@router.get("/intents", summary="List what waits", responses=_READ)
def intents(caller: Operating, memory: Remembering) -> Page[Waiting]:
    """Answer with the work that is asked for and not begun, job by job, and when the first of it is due."""
    return Page(items=memory.operator(tenant=caller.tenant).queue())


@router.get("/schedule", summary="List the schedule", responses=_READ, dependencies=[Depends(allowed("operate"))])
def schedule(memory: Remembering) -> Page[Coming]:
    """Answer with every schedule of the installation, and its next two runs."""
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
    """Answer with the open dead letters, oldest first; with *everything* also those retried or dropped."""
    found = memory.operator(tenant=caller.tenant).dead_letters(limit, after=after, everything=everything)
    return page(found, limit, lambda one: one.letter)


@router.post("/dead-letters/retry", summary="Take dead letters up again", responses=_WRITTEN)
def retry(caller: Operating, memory: Remembering, chosen: Letters) -> Taken:
    """Have the episodes of open dead letters read again, and messages stored that can be read by now."""
    return Taken(retried=memory.operator(tenant=caller.tenant).retry(chosen.letters))


@router.get("/budget", summary="Show what models cost", responses=_READ)
def budget(caller: Operating, memory: Remembering) -> DeskOverview:
    """Answer with the requests that wait for models, what was spent today of what budget, each provider's breaker."""
    return memory.operator(tenant=caller.tenant).budget()


@router.post("/sessions/end", summary="End a session", responses=_WRITTEN)
def end_session(caller: Operating, memory: Remembering, over: Session) -> Ended:
    """Say that a session is over; hear the work that is due because of it, once for what is stored now."""
    return Ended(due=over.of(memory, caller).end_session(over.session))
