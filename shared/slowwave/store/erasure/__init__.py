"""Erasure: finds the words to forget, removes them from every row, and rewrites the tables that still hold them."""
