"""Moves of scopes to another embedding space: what each step reads and writes."""
