"""Reading memories for a question, or by when they happened."""
