"""Lists of words, for what reads statements."""
