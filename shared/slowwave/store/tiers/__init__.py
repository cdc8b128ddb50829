"""Tiers of memories: decay and the sweep, as set-based statements."""
