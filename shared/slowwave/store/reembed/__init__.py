"""Scopes on their way to another embedding space, and what is read and written for each step."""
