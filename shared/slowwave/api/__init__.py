"""Faces of the memory over the network: HTTP, MCP and the pages of the viewer."""
