"""Following new deltas from any source, by iteration or with a callback."""

from slowwave.hearing.deltas import PAGE, Deltas
from slowwave.hearing.listening import Followers, Hear, Listening

__all__ = ["PAGE", "Deltas", "Followers", "Hear", "Listening"]
