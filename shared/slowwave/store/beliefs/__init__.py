"""Beliefs: the ledger, the rebuild of facts from the ledger, the facts of a scope, and deltas applied by hand."""
