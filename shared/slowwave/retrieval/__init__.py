"""How a question becomes recollections."""
