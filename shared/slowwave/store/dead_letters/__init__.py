"""Dead letters: what could not be used, and why; written, listed, retried and laid aside."""
