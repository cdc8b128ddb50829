"""Deciding past claims again: with late claims inserted in time, without undone claims, or after a replay."""
