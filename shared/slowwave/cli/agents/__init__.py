"""Commands that agents call: an MCP server on standard input and output, and the answer to a hook."""
