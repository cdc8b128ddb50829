"""The size of a block, and from where on blocks are worth their while."""

BLOCK = 256
"""Positions of a block: within it, a position is one byte."""

PACKED_FROM = 2_048
"""A scope with fewer positions is read whole: that takes 10 ms, and blocks would save little of it."""
