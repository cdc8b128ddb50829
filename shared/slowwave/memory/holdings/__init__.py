"""The profile and history of a user: what is known as a whole, rather than as an answer to a question."""

from slowwave.memory.holdings.holding import Holding

__all__ = ["Holding"]
