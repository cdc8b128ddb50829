"""Memories that move: every row that a scope cannot do without, read in pages and put back elsewhere."""
