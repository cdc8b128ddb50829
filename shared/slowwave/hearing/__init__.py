"""Hearing what is learned, wherever it is read from: deltas as they come, iterated over or handed to a callback."""

from slowwave.hearing.deltas import PAGE, Deltas
from slowwave.hearing.listening import Followers, Hear, Listening

__all__ = ["PAGE", "Deltas", "Followers", "Hear", "Listening"]
