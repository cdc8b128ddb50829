"""Permanent erasure of a user, a session, a fact or every match of a text; and the receipts."""

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from slowwave.api.access import Operating, Remembering, Whose
from slowwave.api.problems import documented
from slowwave.api.responses import Page, page
from slowwave.domain.arguments import Id, Limit, Name
from slowwave.domain.erasure import Erasure, Token, Words

router = APIRouter(prefix="/v1", tags=["erasing"])
_REFUSALS = documented(400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503)
Wait = Annotated[float, Field(ge=0, le=60, allow_inf_nan=False, description="seconds to wait for busy workers")]


class _Named(BaseModel):
    model_config = ConfigDict(extra="forbid")

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

    def told(self) -> dict[str, Any]:
        """Return the arguments of the verb."""
        return {name: getattr(self, name) for name in _Named.model_fields}


class ToForget(_Named):
    """A request to erase in the whole tenant, or for one user."""

    user: Name | None = None


class ToForgetHere(_Named, Whose):
    """A request to erase in one memory."""


class Rewritten(BaseModel):
    """The number of erasures whose second step was done."""

    rewritten: int


class Genuine(BaseModel):
    """The check of a receipt, which is genuine if this tenant's key signed it and nobody changed it."""

    genuine: bool


@router.post("/forget", summary="Forget for good", responses=_REFUSALS)
def forget(caller: Operating, memory: Remembering, told: ToForget) -> Erasure:
    """Erase a user, a session, a fact or every match of a text; return the receipt or preview."""
    return memory.forget(user=told.user, tenant=caller.tenant, **told.told())


@router.post("/scopes/forget", summary="Forget for good in one memory", responses=_REFUSALS)
def forget_here(caller: Operating, memory: Remembering, told: ToForgetHere) -> Erasure:
    """Erase a session, a fact, every match of a text or a whole memory; return the receipt or preview."""
    return told.of(memory, caller).forget(**told.told())


@router.get("/erasures", summary="List receipts of erasures", responses=documented(401, 403, 422, 429, 500, 503))
def erasures(caller: Operating, memory: Remembering, limit: Limit = 20) -> Page[Erasure]:
    """Return the receipts of the latest erasures, newest first; receipts hold no content."""
    return Page(items=page(memory.erasures(limit, tenant=caller.tenant), limit, lambda one: one.id).items)


@router.post("/erasures/rewrite", summary="Do the second step of erasures", responses=_REFUSALS)
def rewrite(caller: Operating, memory: Remembering) -> Rewritten:
    """Rewrite tables, indexes, statistics and log without erased content; return how many erasures it finished."""
    return Rewritten(rewritten=memory.rewrite_erased(tenant=caller.tenant))


@router.post("/erasures/verify", summary="Check a receipt", responses=_REFUSALS)
def verify(caller: Operating, memory: Remembering, receipt: dict[str, Any]) -> Genuine:
    """Return whether a receipt was signed with the tenant's key and is unchanged."""
    return Genuine(genuine=memory.verify_erasure(receipt, tenant=caller.tenant))
