"""Dead letters: items that could not be processed, and why; written, listed, retried and dropped."""
