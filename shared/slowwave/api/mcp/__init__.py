"""MCP: an agent's tools over what is remembered, on a pipe or over HTTP."""

from slowwave.api.mcp.asking import Asking
from slowwave.api.mcp.server import MemoryServer
from slowwave.api.mcp.whose import Whose

__all__ = ["Asking", "MemoryServer", "Whose"]
