"""Packed blocks of large scopes. A block has the words and the vectors of 256 episodes, for fast reads by questions."""
