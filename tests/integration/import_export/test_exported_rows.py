"""No table is forgotten when memories move: what a tenant's rows stand in goes along, or is named with why it stays."""

from slowwave.store.import_export.row_types import EXPORTED
from slowwave.store.tables import metadata

WITH_OTHERS = {
    "beliefs": "goes with the facts: the numbers are the database's own, and the keys stand in the versions",
    "delta_origins": "goes in the lines of the deltas",
    "delta_payloads": "goes in the lines of the deltas",
    "delta_sources": "goes in the lines of the deltas",
    "scope_heads": "goes in the head of a scope's lines",
    "tier_moves": "a log of the standing, which goes as it stands",
}
MADE_AGAIN = {
    "belief_words", "entity_vectors", "episode_vectors", "fact_vectors", "tree_nodes", "vector_blocks", "word_blocks",
}  # fmt: skip
"""What is computed from what went."""
WORK = {
    "embedding_moves", "firings", "intents", "model_rejected", "model_requests", "model_windows", "reconsiderations",
    "scope_leases",
}  # fmt: skip
"""What is under way here: whoever arrives is worked on anew."""
INSTALLATION = {
    "api_buckets", "api_keys", "audit_log", "embedding_spaces", "model_batches", "model_breakers", "model_budgets",
    "erasure_targets", "erasures", "ledger_seals",
    "model_calls", "model_chunks", "model_payloads", "model_replies", "model_slots", "packs", "places", "predicates",
    "processes", "quotas", "registrations", "revisions", "schedules", "tallies", "tenants", "webhooks",
}  # fmt: skip
"""What belongs to an installation and to no memory: its keys, packs, ladders, counts, log, budgets and receipts."""


def test_each_table_is_either_exported_or_listed_as_not_exported() -> None:
    goes, said = {kept.name for kept in EXPORTED}, [set(WITH_OTHERS), MADE_AGAIN, WORK, INSTALLATION]

    assert goes | set().union(*said) == set(metadata.tables)
    assert len(goes) + sum(map(len, said)) == len(metadata.tables), "a table is named once"
