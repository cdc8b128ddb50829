"""Access control of the API, by the caller's key or host, and the memory that a request names."""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ConfigDict

from slowwave.domain.access import Caller, Verb
from slowwave.domain.arguments import Name
from slowwave.errors import Forbidden, Unauthorized
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.operations import Access
from slowwave.memory.verb_group import parts_of

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_BEARER = HTTPBearer(auto_error=False, scheme_name="key", description="a key of `slowwave keys create`")
Bearer = Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)]


class Authentication:
    """Access control of an app. Callers need a key; with *keyless*, callers from this host need no key."""

    def __init__(self, access: Access, *, keyless: bool) -> None:
        self.access = access
        self.keyless = keyless

    def admit(self, secret: str | None, verb: Verb) -> Caller:
        """Return the caller with the key *secret* for *verb*, and spend one token of the key's rate limit.

        Raises `Unauthorized`, `Forbidden`, and `Crowded` when the rate limit is exceeded.
        """
        if secret is not None:
            return self.access.admit(secret, verb)
        if self.keyless:
            return self.access.alone()
        raise Unauthorized(
            "this needs a key", hint="send `Authorization: Bearer KEY`; `slowwave keys create` makes one"
        )

    def refuse_strangers(self, host: str | None, origin: str | None) -> None:
        """If no key is required, raise `Forbidden` for a request to another host or from a page of another site."""
        if self.keyless and not (_here(f"//{host}" if host else None) and (origin is None or _here(origin))):
            raise Forbidden(
                "without keys, the server answers only requests to a name of this host",
                hint="use http://127.0.0.1, or start `slowwave serve --keys`",
            )


def _here(address: str | None) -> bool:
    try:
        return address is not None and urlsplit(address).hostname in LOOPBACK
    except ValueError:
        return False


def allowed(verb: Verb) -> Callable[..., Coroutine[Any, Any, Caller]]:
    """Return a FastAPI dependency. The dependency returns the caller if the caller may use *verb*, and otherwise raises
    an error (see `admit`).
    """

    async def caller(request: Request, key: Bearer) -> Caller:
        door: Authentication = request.app.state.door
        if key is None:
            door.refuse_strangers(request.headers.get("host"), request.headers.get("origin"))
        elif known := door.access.admit_known(key.credentials, verb):
            return known
        return await run_in_threadpool(door.admit, key.credentials if key else None, verb)

    return caller


Pushing = Annotated[Caller, Depends(allowed("push"))]
Recalling = Annotated[Caller, Depends(allowed("recall"))]
Deciding = Annotated[Caller, Depends(allowed("review"))]
Operating = Annotated[Caller, Depends(allowed("operate"))]


class Body(BaseModel):
    """The base of request bodies, which refuse unknown fields."""

    model_config = ConfigDict(extra="forbid")


class ScopeNames(Body):
    """The user, agent and channel of a memory. Without an agent, the memories of all agents are searched."""

    user: Name
    agent: Name | None = None
    channel: Name | None = None

    def of(self, memory: Memory, caller: Caller) -> MemoryScope:
        """Return the memory with these names in the caller's tenant."""
        return memory.scope(self.user, agent=self.agent, channel=self.channel, tenant=caller.tenant)


def memory_of(request: Request) -> Memory:
    """Return the memory that an app serves."""
    memory: Memory = request.app.state.memory
    return memory


async def _memory_of(request: Request) -> Memory:
    """Return the memory that an app serves. FastAPI runs this coroutine without another thread."""
    return memory_of(request)


async def scope_of_query(user: Name, agent: Name | None = None, channel: Name | None = None) -> ScopeNames:
    """Return the memory that the query parameters of a request name."""
    return ScopeNames(user=user, agent=agent, channel=channel)


def operating_all(request: Request, caller: Operating) -> Caller:
    """Return the caller if the caller operates the installation. Raises `Forbidden` for a key of another tenant."""
    if caller.tenant != parts_of(memory_of(request)).settings.tenant:
        raise Forbidden("this covers all tenants", hint="use a key of the tenant that SLOWWAVE_TENANT names")
    return caller


def tenant_of_query(request: Request, caller: Operating, tenant: Name | None = None) -> str:
    """Return the tenant that the query names, by default the tenant of the key.

    Raises `Forbidden` for another tenant, unless the caller operates the installation.
    """
    if tenant not in (None, caller.tenant):
        operating_all(request, caller)
    return tenant or caller.tenant


Remembering = Annotated[Memory, Depends(_memory_of)]
InQuery = Annotated[ScopeNames, Depends(scope_of_query)]
TenantInQuery = Annotated[str, Depends(tenant_of_query)]
