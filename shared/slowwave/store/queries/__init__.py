"""Episodes, conversations and standings, read back."""
