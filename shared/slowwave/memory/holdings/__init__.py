"""Holdings: what is known of a user as a whole, rather than what answers a question."""

from slowwave.memory.holdings.holding import Holding

__all__ = ["Holding"]
