"""Commands that agents call: a server of tools on a pipe, and the answer to a hook."""
