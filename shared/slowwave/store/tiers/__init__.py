"""Tiers in the database: decay and the sweep, set-based."""
