"""Embedders behind an endpoint or from an extra, with the same port as the built-in one."""
