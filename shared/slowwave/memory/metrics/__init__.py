"""Prometheus metrics of the whole installation, not of one process."""

from slowwave.memory.metrics.exposition import CONTENT_TYPE, Exposition

__all__ = ["CONTENT_TYPE", "Exposition"]
