"""The advisory locks: a number or name for each, so that no two rules share one."""

PACKS = 5311
"""Prevents scopes from being created while packs are registered: shared for creating, exclusive for registering."""

BLOCKS = 5312
"""Prevents two transactions from packing blocks of one scope: combined with the beginning of its id."""

RECORDING = "recording of "
"""Tells followers of a tenant's deltas since when some are being recorded: a prefix to its name and a time."""
