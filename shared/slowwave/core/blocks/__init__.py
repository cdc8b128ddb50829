"""Packed blocks. A block has the data of 256 positions that a query needs, and is small enough to be read whole."""
