"""Packed blocks of large scopes: written as episodes are prepared, read by questions, gone with what they tell of."""
