"""A process of its own in which a pack's code reads episodes, bounded in time and memory."""

from slowwave.sandbox.process import Limits, Sandbox

__all__ = ["Limits", "Sandbox"]
