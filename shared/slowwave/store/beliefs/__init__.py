"""Beliefs: the ledger, its fold, what a scope holds, and deltas applied by hand."""
