"""The number of each advisory lock, or its name, so that no two rules share one."""

PACKS = 5311
"""Keeps scopes from being created while packs are registered: shared by who creates, alone for who registers."""

BLOCKS = 5312
"""Keeps two from packing blocks of one scope: with the beginning of its id."""

RECORDING = "recording of "
"""Tells who follows the deltas of a tenant since when some are being recorded: goes before its name, and a time."""
