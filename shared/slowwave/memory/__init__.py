"""The verbs an agent has. A face of its own file hangs on a scope as a property: `scope.goals`, `scope.stream`."""

from slowwave.memory.installation import Memory
from slowwave.memory.scope import MemoryScope

__all__ = ["Memory", "MemoryScope"]
