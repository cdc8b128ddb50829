"""Packed blocks: what a question needs of 256 positions, small enough to be read whole."""
