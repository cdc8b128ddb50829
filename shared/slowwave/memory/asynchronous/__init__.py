"""The verbs an async agent has: those of `slowwave.memory`, awaited."""

from slowwave.memory.asynchronous.faces import AsyncMemory, AsyncMemoryScope
from slowwave.memory.asynchronous.following import AsyncFollowing, AsyncListening

__all__ = ["AsyncFollowing", "AsyncListening", "AsyncMemory", "AsyncMemoryScope"]
