"""The public API of an agent. Groups of verbs are properties of a scope, such as `scope.goals`."""

from typing import TYPE_CHECKING

from slowwave.runtime.lazy_names import lazy_names

if TYPE_CHECKING:
    from slowwave.memory.installation import Memory
    from slowwave.memory.scope import MemoryScope

__all__ = ["Memory", "MemoryScope"]
__getattr__ = lazy_names(__name__, {"installation": "Memory", "scope": "MemoryScope"})
