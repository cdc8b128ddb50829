"""Erasure finds the words to forget, removes these words from every row, and rewrites tables that held the words."""
