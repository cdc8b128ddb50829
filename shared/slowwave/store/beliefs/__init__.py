"""Beliefs: the ledger, the fold of the ledger, the facts of a scope, and deltas applied by hand."""
