"""Packed blocks: the data of 256 positions that a query needs, small enough to be read whole."""
