"""The public API of an agent. Groups of verbs are properties of a scope, such as `scope.goals`."""

from slowwave.memory.installation import Memory
from slowwave.memory.scope import MemoryScope

__all__ = ["Memory", "MemoryScope"]
