"""The async API: the verbs of `slowwave.memory`, awaited."""

from slowwave.hearing.awaited import AsyncFollowing, AsyncListening
from slowwave.memory.asynchronous.faces import AsyncMemory, AsyncMemoryScope

__all__ = ["AsyncFollowing", "AsyncListening", "AsyncMemory", "AsyncMemoryScope"]
