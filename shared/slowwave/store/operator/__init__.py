"""Operator queries: status, statistics, and the check of invariants."""
