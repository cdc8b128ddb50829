"""Commands that agents start: an MCP server on standard input and output, and the handler of hooks."""
