"""Phrases that point at things, and clauses that judge them."""
