"""A process of its own in which a pack's code reads episodes, bounded in time and memory."""

from slowwave.confined.process import Confined, Limits

__all__ = ["Confined", "Limits"]
