"""Packed blocks of large scopes: written when episodes are prepared, read by questions, erased with their episodes."""
