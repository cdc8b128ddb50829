"""Webhooks: addresses of the tenant that receive each delta, signed."""

import uuid
from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field

from slowwave.api.access import Operating, Remembering
from slowwave.api.problems import documented
from slowwave.api.responses import Page
from slowwave.domain.arguments import Name
from slowwave.domain.delta import Kind
from slowwave.domain.webhook import Webhook
from slowwave.memory.subscriptions import KINDS, Webhooks
from slowwave.memory.verb_group import parts_of

router = APIRouter(prefix="/v1/webhooks", tags=["webhooks"])
_READ = documented(401, 403, 422, 429, 500, 503)
_WRITTEN = documented(400, 401, 403, 413, 415, 422, 429, 500, 503)
_ONE = documented(401, 403, 404, 422, 429, 500, 503)


class Wanted(BaseModel):
    """A new webhook: its address, and the deltas it receives."""

    model_config = ConfigDict(extra="forbid")

    url: Name
    kinds: list[Kind] = Field(default_factory=lambda: list(KINDS), min_length=1)
    user: Name | None = None
    agent: Name | None = None
    channel: Name | None = None


class Made(BaseModel):
    """A created webhook, and its signing secret, which is shown only once."""

    webhook: Webhook
    secret: str


class Tried(BaseModel):
    """The response of a tested receiver: its status, null if there was none, and whether it accepted the delivery."""

    status: int | None
    taken: bool
    said: str


def _webhooks(memory: Remembering) -> Webhooks:
    """Return the webhooks of the installation."""
    return Webhooks(parts_of(memory))


Hooks = Annotated[Webhooks, Depends(_webhooks)]


@router.post("", status_code=201, summary="Make a webhook", responses=_WRITTEN)
def create(caller: Operating, hooks: Hooks, wanted: Wanted) -> Made:
    """Send each delta from now on to an address, signed; return the secret once."""
    made, secret = hooks.create(
        wanted.url, kinds=wanted.kinds, user=wanted.user, agent=wanted.agent, channel=wanted.channel,
        tenant=caller.tenant,
    )  # fmt: skip
    return Made(webhook=made, secret=secret)


@router.get("", summary="List webhooks", responses=_READ)
def listing(caller: Operating, hooks: Hooks) -> Page[Webhook]:
    """Return every webhook of the tenant, oldest first, with the last delivered delta and its current error."""
    return Page(items=list(hooks.listing(tenant=caller.tenant)))


@router.delete("/{webhook}", summary="Remove a webhook", responses=_ONE)
def remove(caller: Operating, hooks: Hooks, webhook: uuid.UUID) -> Webhook:
    """Remove a webhook and its secret permanently."""
    return hooks.remove(webhook, tenant=caller.tenant)


@router.post("/{webhook}/enable", summary="Enable a webhook", responses=_ONE)
def enable(caller: Operating, hooks: Hooks, webhook: uuid.UUID) -> Webhook:
    """Resume deliveries to a failed webhook at once, from where they stopped."""
    return hooks.enable(webhook, tenant=caller.tenant)


@router.post("/{webhook}/test", summary="Try a webhook", responses=_ONE)
def test(caller: Operating, hooks: Hooks, webhook: uuid.UUID) -> Tried:
    """Send the receiver a signed `webhook.test` once, and return its response."""
    said = hooks.test(webhook, tenant=caller.tenant)
    return Tried(status=said.status, taken=said.taken, said=said.said)
