"""Undo, correction and replay of decisions, and permanent erasure of a user, a session, a fact or a text."""

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field, model_validator

from slowwave.api.access import Body, Deciding, Operating, Remembering, ScopeNames
from slowwave.api.problems import CHANGED, LISTED
from slowwave.api.responses import Page, page
from slowwave.domain.arguments import Id, Instant, Limit, Name, Note
from slowwave.domain.erasure import Erasure, Token, Words
from slowwave.domain.undo import Undone, What

undoing_router = APIRouter(prefix="/v1", tags=["undoing"])
Wait = Annotated[float, Field(ge=0, le=60, allow_inf_nan=False, description="seconds to wait for busy workers")]
erasing_router = APIRouter(prefix="/v1", tags=["erasing"])


class _NamedUndo(Body):
    by: Name | None = Field(None, description="the person who asks for it")
    reason: Note = ""
    preview: bool = Field(False, description="whether to write nothing, and only return what would change")
    timeout: Wait = 20.0

    def arguments(self) -> dict[str, Any]:
        """Return the fields that all requests to undo share, as arguments of the verb."""
        return {name: getattr(self, name) for name in _NamedUndo.model_fields}


class ToUndo(_NamedUndo):
    """A request to undo decisions in one memory or, without a user, in the whole tenant."""

    what: What | None = Field(None, description="a run, the id of a delta or an undo, or PACK@VERSION")
    since: Instant | None = Field(None, description="undo what all runs, or the pack in `what`, decided from then on")
    user: Name | None = None
    agent: Name | None = None
    channel: Name | None = None

    @model_validator(mode="after")
    def _require_user(self) -> "ToUndo":
        if self.user is None and (self.agent or self.channel):
            raise ValueError("agent and channel need a user")
        return self


class ToReplay(_NamedUndo):
    """A request to read the episodes of one memory, or of all users, again with an installed pack."""

    pack: Name = Field(description="the pack's name, or NAME@VERSION")
    user: Name | None = None
    agent: Name | None = None
    channel: Name | None = None
    all_users: bool = Field(False, description="whether to replay every memory of the tenant; then without a user")
    ask: bool = Field(
        False, description="whether to ask the model first for the replies that are missing, at its price"
    )

    @model_validator(mode="after")
    def _require_user(self) -> "ToReplay":
        named = self.user or self.agent or self.channel
        if self.all_users and named:
            raise ValueError("all_users replays every memory: leave out user, agent and channel")
        if not self.all_users and self.user is None:
            raise ValueError("user is missing; to replay the memories of all users, set all_users to true")
        return self


class ToCorrect(_NamedUndo, ScopeNames):
    """A correction: the right object. Without an object, the fact is only undone."""

    object: Name | None = Field(None, description="the right object; for a statement, the whole sentence")


@undoing_router.post("/undo", summary="Undo what was decided", responses=CHANGED)
def undo(caller: Deciding, memory: Remembering, request: ToUndo) -> Undone:
    """Undo a run, a delta, a pack's version or all decisions since a time; return the changes, or a preview."""
    if request.user is None:
        return memory.undo(request.what, since=request.since, tenant=caller.tenant, **request.arguments())
    scope = memory.scope(request.user, agent=request.agent, channel=request.channel, tenant=caller.tenant)
    return scope.undo(request.what, since=request.since, **request.arguments())


@undoing_router.post("/replay", summary="Replay a pack", responses=CHANGED)
def replay(caller: Deciding, memory: Remembering, request: ToReplay) -> Undone:
    """Read all episodes of a memory, or of all users, again with an installed pack, and replace the pack's claims.

    Return the changes, or a preview.
    """
    if request.user is None:
        return memory.replay(request.pack, ask=request.ask, tenant=caller.tenant, **request.arguments())
    scope = memory.scope(request.user, agent=request.agent, channel=request.channel, tenant=caller.tenant)
    return scope.replay(request.pack, ask=request.ask, **request.arguments())


@undoing_router.get("/undos", summary="List undos", responses=LISTED)
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


@undoing_router.post("/facts/{fact}/correct", summary="Correct a wrong fact", responses=CHANGED)
def correct(caller: Deciding, memory: Remembering, fact: Id, request: ToCorrect) -> Undone:
    """Undo a wrong fact and everything derived from the fact; if an object is given, add the right fact.

    Return the changes.
    """
    return request.of(memory, caller).correct(fact, request.object, **request.arguments())


class _NamedErasure(Body):
    session: Name | None = None
    fact: Id | None = Field(None, description="a fact, with the whole episodes that support it")
    matching: Words | None = Field(None, description="words that episodes or facts contain")
    preview: bool = Field(False, description="whether to erase nothing, and only return what would be erased")
    confirm: Token | None = Field(
        None, description="the token of a preview: the call erases exactly what that preview showed, or nothing"
    )
    learn_again: bool = Field(False, description="whether Slowwave may learn erased facts again")
    rewrite: bool = Field(True, description="whether to rewrite tables, statistics and log at once")
    timeout: Wait = 20.0

    def arguments(self) -> dict[str, Any]:
        """Return the request as arguments of `forget`."""
        return {name: getattr(self, name) for name in _NamedErasure.model_fields}


class ToForget(_NamedErasure):
    """A request to erase in the whole tenant, or for one user."""

    user: Name | None = None


class ToForgetHere(_NamedErasure, ScopeNames):
    """A request to erase content of one scope."""


class Rewritten(BaseModel):
    """The number of erasures whose second step (the rewrite of tables, statistics and log) was done."""

    rewritten: int


class Genuine(BaseModel):
    """The check of a receipt. A receipt is genuine if this tenant's key signed it and nobody changed it."""

    genuine: bool


@erasing_router.post("/forget", summary="Forget for good", responses=CHANGED)
def forget(caller: Operating, memory: Remembering, request: ToForget) -> Erasure:
    """Erase a user, a session, a fact or every match of a text; return the receipt, or a preview."""
    return memory.forget(user=request.user, tenant=caller.tenant, **request.arguments())


@erasing_router.post("/scopes/forget", summary="Forget for good in one memory", responses=CHANGED)
def forget_here(caller: Operating, memory: Remembering, request: ToForgetHere) -> Erasure:
    """Erase a session, a fact, every match of a text or a whole memory; return the receipt, or a preview."""
    return request.of(memory, caller).forget(**request.arguments())


@erasing_router.get("/erasures", summary="List receipts of erasures", responses=LISTED)
def erasures(caller: Operating, memory: Remembering, limit: Limit = 20) -> Page[Erasure]:
    """Return the receipts of the latest erasures, newest first. Receipts contain no erased content."""
    return Page(items=page(memory.erasures(limit, tenant=caller.tenant), limit, lambda one: one.id).items)


@erasing_router.post("/erasures/rewrite", summary="Do the second step of erasures", responses=CHANGED)
def rewrite(caller: Operating, memory: Remembering) -> Rewritten:
    """Rewrite tables, indexes, statistics and log without erased content; return the number of finished erasures."""
    return Rewritten(rewritten=memory.rewrite_erased(tenant=caller.tenant))


@erasing_router.post("/erasures/verify", summary="Check a receipt", responses=CHANGED)
def verify(caller: Operating, memory: Remembering, receipt: dict[str, Any]) -> Genuine:
    """Return whether a receipt was signed with the tenant's key and is unchanged."""
    return Genuine(genuine=memory.verify_erasure(receipt, tenant=caller.tenant))
