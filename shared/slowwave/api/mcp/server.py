"""The MCP server: its tools, its resources, and errors as sentences with a hint."""

from importlib.metadata import version
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp.types import CallToolResult, InputRequiredResult, Resource
from pydantic import ValidationError

from slowwave.api.mcp.caller import CallerOf
from slowwave.api.mcp.resources import OWN, add_resources
from slowwave.api.mcp.tools import tools
from slowwave.domain.episode import problems_of
from slowwave.errors import Incorrect, NotFound, SlowwaveError

INSTRUCTIONS = (
    "Long-term memory of the user. At the start of a task call `context`; before you ask or answer what the user may "
    "have told before, `recall`; when they tell something worth knowing later, `push` their words."
)


class MemoryServer(MCPServer[Any]):
    """An MCP server of one memory. It reports errors as a sentence with a hint, never as a traceback."""

    def __init__(self, asking: CallerOf) -> None:
        super().__init__(
            "slowwave", instructions=INSTRUCTIONS, version=version("slowwave"), tools=tools(asking), log_level="WARNING"
        )
        add_resources(self, asking)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Return the tool's result. Raises `ToolError` with what is wrong and what to do."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            raise _for_callers(name, error, ToolError) from error.__cause__

    async def list_resources(self) -> list[Resource]:
        """Return the resources of the connection's user; templates cover those of others."""
        return OWN

    async def read_resource(self, uri: Any, context: Context[Any, Any] | None = None) -> Any:
        """Return the contents of a resource. Raises `ResourceError` with what is wrong and what to do."""
        try:
            return await super().read_resource(uri, context)
        except ResourceError as error:
            kind = ResourceNotFoundError if isinstance(_cause(error), NotFound) else ResourceError
            raise _for_callers("read", error, kind) from error.__cause__

    def __repr__(self) -> str:
        return "<MemoryServer>"


def _for_callers(name: str, error: Exception, kind: type[Exception]) -> Exception:
    """Return a `SlowwaveError` or `ValidationError` as a sentence for callers; any other *error* unchanged."""
    cause = _cause(error)
    if isinstance(cause, ValidationError):
        return kind(str(Incorrect.listing(name, problems_of(cause), hint=f"see the schema of {name}")))
    if isinstance(cause, Incorrect) and (cause.hint or "").startswith("help("):  # a hint for Python callers
        cause.hint = f"see the schema of {name}"
    return kind(str(cause)) if isinstance(cause, SlowwaveError) else error


def _cause(error: BaseException | None) -> BaseException | None:
    """Return the first `SlowwaveError` or `ValidationError` among *error* and its causes; None if there is none."""
    while error is not None and not isinstance(error, SlowwaveError | ValidationError):
        error = error.__cause__
    return error
