"""MCP: memory tools for an agent, on standard input and output or over HTTP."""

from slowwave.api.mcp.asking import Asking
from slowwave.api.mcp.server import MemoryServer
from slowwave.api.mcp.whose import Whose

__all__ = ["Asking", "MemoryServer", "Whose"]
