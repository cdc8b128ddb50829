"""Undo of a run, a delta, a pack or everything since a time; replay of a pack; correction of a fact."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, model_validator

from slowwave.api.access import Deciding, Remembering, Whose
from slowwave.api.problems import documented
from slowwave.api.responses import Page, page
from slowwave.domain.arguments import Id, Instant, Limit, Name, Note
from slowwave.domain.undo import Undone, What

router = APIRouter(prefix="/v1", tags=["undoing"])
_REFUSALS = documented(400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503)
Wait = Annotated[float, Field(ge=0, le=60, allow_inf_nan=False, description="seconds to wait for busy workers")]


class _Named(BaseModel):
    model_config = ConfigDict(extra="forbid")

    by: Name | None = Field(None, description="the person who asks for it")
    reason: Note = ""
    preview: bool = Field(False, description="whether to write nothing, and only return what would change")
    timeout: Wait = 20.0


class ToUndo(_Named):
    """A request to undo something, in one memory or, without a user, in the whole tenant."""

    what: What | None = Field(None, description="a run, the id of a delta or an undo, or PACK@VERSION")
    since: Instant | None = Field(None, description="undo what all runs, or the pack in `what`, decided from then on")
    user: Name | None = None
    agent: Name | None = None
    channel: Name | None = None

    @model_validator(mode="after")
    def _whose(self) -> "ToUndo":
        if self.user is None and (self.agent or self.channel):
            raise ValueError("agent and channel need a user")
        return self


class ToReplay(_Named, Whose):
    """A request to read the episodes of one memory again with an installed pack."""

    pack: Name = Field(description="the pack's name, or NAME@VERSION")


class ToCorrect(_Named, Whose):
    """A correction: the right object, or none to only undo the fact."""

    object: Name | None = Field(None, description="the right object; for a statement, the whole sentence")


@router.post("/undo", summary="Undo what was decided", responses=_REFUSALS)
def undo(caller: Deciding, memory: Remembering, told: ToUndo) -> Undone:
    """Undo a run, a delta, a pack's version or everything since a time; return what changed, or would change."""
    if told.user is None:
        return memory.undo(
            told.what, since=told.since, by=told.by, reason=told.reason, preview=told.preview, timeout=told.timeout,
            tenant=caller.tenant,
        )  # fmt: skip
    scope = memory.scope(told.user, agent=told.agent, channel=told.channel, tenant=caller.tenant)
    return scope.undo(
        told.what, since=told.since, by=told.by, reason=told.reason, preview=told.preview, timeout=told.timeout
    )


@router.post("/replay", summary="Replay a pack", responses=_REFUSALS)
def replay(caller: Deciding, memory: Remembering, told: ToReplay) -> Undone:
    """Read all episodes here again with an installed pack, and replace its claims; return the changes or a preview."""
    return told.of(memory, caller).replay(
        told.pack, by=told.by, reason=told.reason, preview=told.preview, timeout=told.timeout
    )


@router.get("/undos", summary="List undos", responses=documented(401, 403, 422, 429, 500, 503))
def undos(
    caller: Deciding, memory: Remembering, user: Name | None = None, agent: Name | None = None,
    channel: Name | None = None, limit: Limit = 20,
) -> Page[Undone]:  # fmt: skip
    """Return the latest undos of the tenant, or of one memory if a user is named, newest first."""
    if user is None:
        found = memory.undos(limit, tenant=caller.tenant)
    else:
        found = memory.scope(user, agent=agent, channel=channel, tenant=caller.tenant).undos(limit)
    return Page(items=page(found, limit, lambda one: one.id).items)


@router.post("/facts/{fact}/correct", summary="Correct a wrong fact", responses=_REFUSALS)
def correct(caller: Deciding, memory: Remembering, fact: Id, told: ToCorrect) -> Undone:
    """Undo a wrong fact and everything derived from it; add the right fact, if its object is given."""
    return told.of(memory, caller).correct(
        fact, told.object, by=told.by, reason=told.reason, preview=told.preview, timeout=told.timeout
    )
