"""Metrics of an installation, at a cost that does not grow with its size."""
