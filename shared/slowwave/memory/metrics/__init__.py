"""Metrics in the format of Prometheus, of the installation and not of a process."""

from slowwave.memory.metrics.exposition import CONTENT_TYPE, Exposition

__all__ = ["CONTENT_TYPE", "Exposition"]
