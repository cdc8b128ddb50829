"""Undos in Postgres: what to leave out, the order, and the beliefs without it."""
