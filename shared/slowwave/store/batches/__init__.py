"""Batches: requests that are answered somewhere else, and come back in a file."""
