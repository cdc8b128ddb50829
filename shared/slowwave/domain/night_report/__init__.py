"""Nights, and the report of one night."""
