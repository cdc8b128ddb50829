"""Canaries: new versions of packs that read in a share of the scopes, compared, promoted or rolled back."""

from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field

from slowwave.api.access import Operating, Remembering, allowed, operating_all
from slowwave.api.problems import documented
from slowwave.api.responses import Page
from slowwave.domain.arguments import Name, Note
from slowwave.domain.canary import CanaryStatus, DecidedCanary, StoredCanary

router = APIRouter(prefix="/v1/canaries", tags=["canaries"])
_READ = documented(401, 403, 422, 429, 500, 503)
_DECIDED = documented(400, 401, 403, 413, 415, 422, 429, 500, 503)


class ToRollBack(BaseModel):
    """A decision to end a canary."""

    model_config = ConfigDict(extra="forbid")

    by: Name | None = Field(None, description="the person who decides")
    reason: Note = ""
    timeout: Annotated[
        float, Field(ge=0, le=60, allow_inf_nan=False, description="seconds to wait for busy workers")
    ] = 20.0


class ToPromote(ToRollBack):
    """A decision to let a canary read in all scopes."""

    replay: bool = Field(False, description="whether to replay the new version in all scopes of all tenants")


@router.get("", summary="List canaries", responses=_READ, dependencies=[Depends(allowed("operate"))])
def canaries(memory: Remembering) -> Page[StoredCanary]:
    """Return the present and past canaries of all packs: declared ones first."""
    return Page(items=memory.canaries.listing())


@router.get("/{pack}", summary="Compare a canary", responses=_READ)
def show_canary(caller: Operating, memory: Remembering, pack: Name) -> CanaryStatus:
    """Return how the canary of a pack has read in the tenant, compared with the installed version."""
    return memory.canaries.status(pack, tenant=caller.tenant)


@router.post("/{pack}/promote", summary="Promote a canary", responses=_DECIDED, dependencies=[Depends(operating_all)])
def promote(memory: Remembering, pack: Name, request: ToPromote) -> DecidedCanary:
    """Let a canary read in all scopes of all tenants.

    The caller needs a key of the tenant SLOWWAVE_TENANT that allows `operate`.
    """
    return memory.canaries.promote(pack, **request.model_dump())


@router.post(
    "/{pack}/roll-back", summary="Roll a canary back", responses=_DECIDED, dependencies=[Depends(operating_all)]
)
def roll_back(memory: Remembering, pack: Name, request: ToRollBack) -> DecidedCanary:
    """End a canary in all tenants, and replay what it has read with the installed version.

    The caller needs a key of the tenant SLOWWAVE_TENANT that allows `operate`.
    """
    return memory.canaries.roll_back(pack, **request.model_dump())
