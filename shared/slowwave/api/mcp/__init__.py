"""MCP: memory tools for an agent, on standard input and output or over HTTP."""

from slowwave.api.mcp.caller import CallerOf, ScopeArguments
from slowwave.api.mcp.server import MemoryServer

__all__ = ["CallerOf", "MemoryServer", "ScopeArguments"]
