"""Packed blocks of large scopes. Preparation writes the blocks, questions read them, and erasure repacks them."""
