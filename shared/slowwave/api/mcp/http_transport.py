"""MCP over HTTP, at `/mcp` of the API, with the same keys, verbs, rate limits and tenants as the API."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from slowwave.api import problems
from slowwave.api.access import Authentication
from slowwave.api.mcp.caller import CallerContext, CallerOf, ScopeArguments
from slowwave.api.mcp.server import MemoryServer
from slowwave.domain.access import Verb
from slowwave.errors import SlowwaveError, Unauthorized
from slowwave.memory import Memory

PATH = "/mcp"
ORIGINS_CHECKED_BY_APP = TransportSecuritySettings(enable_dns_rebinding_protection=False)


class HttpTransport:
    """The endpoint at `/mcp`. It keeps no session between requests, so any process can answer any request."""

    def __init__(self, memory: Memory, door: Authentication) -> None:
        self._memory, self._door = memory, door
        self._sessions: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Answer requests while the block runs."""
        server = MemoryServer(CallerOf(lambda: self._memory, self._allow))
        server.streamable_http_app(
            streamable_http_path=PATH,
            json_response=True,
            stateless_http=True,
            transport_security=ORIGINS_CHECKED_BY_APP,
        )
        self._sessions = server.session_manager
        async with self._sessions.run():
            yield
        self._sessions = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. If a required key is missing, refuse the request before the body is read."""
        request = Request(scope, receive)
        try:
            if _key(request) is None:
                self._door.refuse_strangers(request.headers.get("host"), request.headers.get("origin"))
                if not self._door.keyless:
                    raise Unauthorized("this needs a key", hint="send `Authorization: Bearer KEY`")
        except SlowwaveError as error:
            await problems.answer(problems.problem_of(error))(scope, receive, send)
            return
        assert self._sessions is not None, "the app has not started"
        await self._sessions.handle_request(scope, receive, send)

    def _allow(self, call: CallerContext, verb: Verb) -> ScopeArguments:
        """Return the defaults in the client's URL, with the tenant of the key.

        Raises `Forbidden` if the key does not allow *verb*.
        """
        request: Any = call.request_context.request
        caller = self._door.admit(_key(request), verb)
        return ScopeArguments.of_query(request.query_params, caller.tenant)


def mount(app: FastAPI) -> None:
    """Serve MCP at `/mcp` during the lifetime of *app*."""
    endpoint = HttpTransport(app.state.memory, app.state.door)
    app.router.routes.append(Route(PATH, endpoint=endpoint, include_in_schema=False))
    before = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(served: Any) -> AsyncIterator[Any]:
        async with before(served) as state, endpoint.running():
            yield state

    app.router.lifespan_context = lifespan


def _key(request: Request) -> str | None:
    """Return the key in a request."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" and secret.strip() else None
