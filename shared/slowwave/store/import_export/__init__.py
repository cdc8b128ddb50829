"""Memories that move: all rows that a scope needs, read in pages and restored elsewhere."""
