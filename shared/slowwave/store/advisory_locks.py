"""The keys of advisory locks, in one place, so that no two uses share a key."""

PACKS = 5311
"""Prevents scopes from being created while packs are registered: shared for creating, exclusive for registering."""

BLOCKS = 5312
"""Prevents two transactions from packing blocks of one scope: the second number is the first bits of the scope's id."""

DATA_KEYS = 5313
"""Prevents two processes from creating the first data key of a tenant."""

SEALS = 5314
"""Orders the seals of ledgers and of their tenant: shared for a ledger, exclusive for the tenant."""

BACKGROUND = 5315
"""In a cell, orders background work and the switch of a move: shared for background work, exclusive for the move."""

PRESENT = 5316
"""In a cell, orders the transactions of a tenant and its move: shared for a transaction, exclusive for the switch. The
second number is the hash of the tenant's name.
"""

MOVING = 5317
"""Prevents two moves of one tenant: the second number is the hash of the tenant's name."""

REPORTS = 5318
"""Orders the pages of night reports and erasures of a tenant: shared for a page, exclusive for an erasure. The second
number is the hash of the tenant's name.
"""

VERDICTS = 5319
"""Orders the replays by canaries and the verdicts about them: shared for a replay of a scope, exclusive for a verdict.
"""

RECORDING = "recording of "
"""The lock of a transaction that records deltas. The key contains a hash of this text and the tenant's name, and the
time from which the transaction may record.
"""
