"""The tables, as SQLAlchemy knows them. Migrations make them; a test proves both equal.

Every table carries its tenant. Constraints carry the invariants: no two live versions of one belief, one running
run per scope, one pending intent per (scope, job, pack), unique firings, positions without repeats.
"""

from slowwave.store.tables import (
    access,
    blocks,
    erasure,
    goals,
    graph,
    inbox,
    ledger,
    lifecycle,
    model_calls,
    revisions,
    schedule,
    spaces,
    stats,
    summaries,
    triggers,
    undo,
    webhooks,
)
from slowwave.store.tables.columns import metadata

__all__ = [
    "access",
    "blocks",
    "erasure",
    "goals",
    "graph",
    "inbox",
    "ledger",
    "lifecycle",
    "metadata",
    "model_calls",
    "revisions",
    "schedule",
    "spaces",
    "stats",
    "summaries",
    "triggers",
    "undo",
    "webhooks",
]
