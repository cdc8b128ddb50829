"""Packed blocks. A block has the data that a query needs about 256 positions of a scope, and is small enough to be read
whole.
"""
