"""Undos: the claims to leave out, the stored order to undo, and the beliefs without these claims."""
