"""Tiers of memories: decay and the sweep, in statements that process many memories at once."""
