"""The profile and history of a user, independent of a question."""

from slowwave.memory.holdings.holding import Holding

__all__ = ["Holding"]
