"""Decay and the sweep, set-based."""
