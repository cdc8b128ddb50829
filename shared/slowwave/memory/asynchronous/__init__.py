"""The async API: the verbs of `slowwave.memory` as coroutines."""

from slowwave.memory.asynchronous.faces import AsyncMemory, AsyncMemoryScope
from slowwave.subscriptions.async_deltas import AsyncDeltaIterator, AsyncSubscription

__all__ = ["AsyncDeltaIterator", "AsyncMemory", "AsyncMemoryScope", "AsyncSubscription"]
