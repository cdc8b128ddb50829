"""Batches: model requests that are answered elsewhere, and whose replies come back in a file."""
