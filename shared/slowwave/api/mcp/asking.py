"""The caller over MCP: the process on the other end of a pipe, who may do everything, or the holder of a key."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from mcp.server.mcpserver import Context

from slowwave.api.mcp.whose import Whose
from slowwave.brief import brief
from slowwave.memory import Memory

Asked = Context[Any, Any]


@dataclass(frozen=True, slots=True)
class Asking:
    """The ground a call stands on: the *memory*, opened when it is first wanted, and what the caller means and may.

    *allow* is given the call and the verb it needs, returns whose memory is meant, and raises what refuses the caller.
    """

    memory: Callable[[], Memory]
    allow: Callable[[Asked, Literal["push", "recall", "review"]], Whose]

    def __repr__(self) -> str:
        return brief(self)
