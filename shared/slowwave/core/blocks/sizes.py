"""The size of a block, and the scope size from which blocks are used."""

BLOCK = 256
"""Positions in a block: within it, a position takes one byte."""

PACKED_FROM = 2_048
"""A scope with fewer positions is read whole: that takes 10 ms, of which blocks would save little."""
