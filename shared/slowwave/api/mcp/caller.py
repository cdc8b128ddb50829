"""The caller over MCP: the process that started the server, with full access, or the holder of a key."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from mcp.server.mcpserver import Context

from slowwave.api.mcp.scope_arguments import ScopeArguments
from slowwave.formatting.summary_lines import brief
from slowwave.memory import Memory

CallerContext = Context[Any, Any]


@dataclass(frozen=True, slots=True)
class CallerOf:
    """The context of a call: the *memory*, opened at first use, and the caller's defaults and permissions.

    *allow* takes the call and its required verb; it returns the caller's defaults, or raises `Unauthorised` or
    `Forbidden`.
    """

    memory: Callable[[], Memory]
    allow: Callable[[CallerContext, Literal["push", "recall", "review", "operate"]], ScopeArguments]

    def __repr__(self) -> str:
        return brief(self)
