"""Tiers in the database: decay and the sweep, as set-based statements."""
