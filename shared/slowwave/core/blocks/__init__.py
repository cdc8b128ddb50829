"""Packed blocks. A block has the data that a query needs about 256 positions. It is small enough to be read whole."""
