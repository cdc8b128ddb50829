"""The MCP server with tools and resources. Errors are sentences with a hint."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp.types import CallToolResult, InputRequiredResult, Resource
from pydantic import ValidationError

from slowwave.api.mcp.caller import CallerContext, CallerOf
from slowwave.api.mcp.tools import tools
from slowwave.domain.episode import problems_of
from slowwave.domain.queries.profile import Profile
from slowwave.errors import Incorrect, NotFound, SlowwaveError
from slowwave.memory import MemoryScope

MOST_FACTS = 100
PLAIN = "text/plain"
SAYS = {
    "profile": "The user's profile, by purpose",
    "facts": f"The facts believed about the user, at most {MOST_FACTS}",
}
_PARTS = ("preferences", "expertise_areas", "communication_style", "metadata")


OWN = [Resource(uri=f"slowwave://{name}", name=name, description=says, mime_type=PLAIN) for name, says in SAYS.items()]
"""The resources of the connection's user, which a client can list."""
INSTRUCTIONS = (
    "Long-term memory of the user. At the start of a task call `context`; before you ask or answer what the user may "
    "have told before, `recall`; when they tell something worth knowing later, `push` their words."
)


def add_resources(server: MCPServer[Any], asking: CallerOf) -> None:
    """Add the profile and the facts as resources. A URI may name a user and a channel; the default is the connection's
    user.
    """
    _add(server, asking, "profile", _profile)
    _add(server, asking, "facts", _facts)


def _add(server: MCPServer[Any], asking: CallerOf, name: str, read: Callable[[MemoryScope], str]) -> None:
    says = SAYS[name]

    def scope(call: CallerContext, user: str | None = None, channel: str | None = None) -> MemoryScope:
        return asking.allow(call, "recall").scope(asking.memory(), user, channel)

    @server.resource(f"slowwave://{name}{{?channel}}", name=name, description=says, mime_type=PLAIN)
    def own(call: CallerContext, channel: str | None = None) -> str:
        return read(scope(call, None, channel))

    @server.resource(
        f"slowwave://users/{{user}}/{name}{{?channel}}", name=f"{name}-of", description=says, mime_type=PLAIN
    )
    def of_user(call: CallerContext, user: str, channel: str | None = None) -> str:
        return read(scope(call, user, channel))


def _profile(scope: MemoryScope) -> str:
    profile: Profile = scope.profile()
    lines = []
    for name in _PARTS:
        part = getattr(profile, name)
        lines += [f"{name.replace('_', ' ')}:", *(f"- {entry.fact.text}" for entry in part)] if part else []
    return "\n".join(lines) or "there is no profile of this user yet"


def _facts(scope: MemoryScope) -> str:
    facts = scope.facts(limit=MOST_FACTS)
    return "\n".join(f"- {one.text}" for one in facts) or "there are no facts about this user yet"


class MemoryServer(MCPServer[Any]):
    """An MCP server of one memory. The server reports errors as a sentence with a hint, never as a traceback."""

    def __init__(self, asking: CallerOf) -> None:
        super().__init__(
            "slowwave", instructions=INSTRUCTIONS, version=version("slowwave"), tools=tools(asking), log_level="WARNING"
        )
        add_resources(self, asking)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Return the tool's result. Raises `ToolError` with the problem and a hint."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            raise _for_callers(name, error, ToolError) from error.__cause__

    async def list_resources(self) -> list[Resource]:
        """Return the resources of the connection's user. Resource templates cover other users."""
        return OWN

    async def read_resource(self, uri: Any, context: Context[Any, Any] | None = None) -> Any:
        """Return the contents of a resource. Raises `ResourceError` with the problem and a hint."""
        try:
            return await super().read_resource(uri, context)
        except ResourceError as error:
            kind = ResourceNotFoundError if isinstance(_cause(error), NotFound) else ResourceError
            raise _for_callers("read", error, kind) from error.__cause__

    def __repr__(self) -> str:
        return "<MemoryServer>"


def _for_callers(name: str, error: Exception, kind: type[Exception]) -> Exception:
    """Return an error of the type *kind* with a sentence for callers.

    An *error* without such a sentence is returned unchanged.
    """
    cause = _cause(error)
    if isinstance(cause, ValidationError):
        return kind(str(Incorrect.listing(name, problems_of(cause), hint=f"see the schema of {name}")))
    if isinstance(cause, Incorrect) and (cause.hint or "").startswith("help("):  # a hint for Python callers
        cause.hint = f"see the schema of {name}"
    return kind(str(cause)) if isinstance(cause, SlowwaveError) else error


def _cause(error: BaseException | None) -> BaseException | None:
    """Return the first `SlowwaveError` or `ValidationError` among *error* and its causes; None without such
    an error.
    """
    while error is not None and not isinstance(error, SlowwaveError | ValidationError):
        error = error.__cause__
    return error
