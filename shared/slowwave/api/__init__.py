"""The network interfaces of the memory: HTTP, MCP and the pages of the viewer."""
