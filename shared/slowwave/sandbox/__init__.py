"""The sandbox: a separate process in which a pack's code reads episodes, with limits of time and memory."""

from slowwave.sandbox.process import Limits, Sandbox

__all__ = ["Limits", "Sandbox"]
