"""The number of each advisory lock, so that no two rules share one."""

PACKS = 5311
"""Keeps scopes from being created while packs are registered: shared by who creates, alone for who registers."""
