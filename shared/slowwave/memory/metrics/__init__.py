"""Prometheus metrics of the whole installation, not of one process."""
