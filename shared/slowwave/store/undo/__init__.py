"""Undos: the claims to leave out, the stored order, and the beliefs without these claims."""
