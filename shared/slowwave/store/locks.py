"""The number of each advisory lock, so that no two rules share one."""

PACKS = 5311
"""Keeps scopes from being created while packs are registered: shared by who creates, alone for who registers."""

BLOCKS = 5312
"""Keeps two from packing blocks of one scope: with the beginning of its id."""
