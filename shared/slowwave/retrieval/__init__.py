"""Retrieval: from a question to recollections."""
