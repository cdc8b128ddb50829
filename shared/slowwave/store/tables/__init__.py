"""The tables, as SQLAlchemy knows them. Migrations make them; a test proves both equal.

Every table carries its tenant. Constraints carry the invariants: no two live versions of one belief, one running
run a scope, one pending intent a (scope, job, pack), unique firings, positions without repeats.
"""

from slowwave.store.tables import (
    access,
    blocks,
    desk,
    erasure,
    graph,
    inbox,
    ledger,
    lifecycle,
    revisions,
    schedule,
    spaces,
    stats,
    summaries,
    triggers,
    undo,
    webhooks,
    working,
)
from slowwave.store.tables.columns import metadata

__all__ = [
    "access",
    "blocks",
    "desk",
    "erasure",
    "graph",
    "inbox",
    "ledger",
    "lifecycle",
    "metadata",
    "revisions",
    "schedule",
    "spaces",
    "stats",
    "summaries",
    "triggers",
    "undo",
    "webhooks",
    "working",
]
