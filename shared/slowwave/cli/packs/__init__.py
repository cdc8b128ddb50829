"""Packs that a command names, and what they would do."""
