"""Beliefs as values: their keys for comparison."""
