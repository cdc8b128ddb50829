"""Erasure: finds what is to be forgotten, removes it from every row, and rewrites what still holds it."""
