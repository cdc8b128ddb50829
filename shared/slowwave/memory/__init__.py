"""The public API of an agent. Verb groups in files of their own are properties of a scope, like `scope.goals`."""

from slowwave.memory.installation import Memory
from slowwave.memory.scope import MemoryScope

__all__ = ["Memory", "MemoryScope"]
