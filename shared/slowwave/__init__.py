"""The night shift of an agent's memory: episodes in, facts with sources out.

from slowwave import Memory

memory = Memory.connect()
scope = memory.scope(user="alice", agent="concierge")
scope.push("I moved to Oslo last week", role="user", session="s1")
scope.consolidate()
for recollection in scope.recall("where does Alice live?"):
    print(recollection.text, recollection.sources)
"""

from typing import TYPE_CHECKING, Any

from slowwave.domain.delta import AddDelta, DeleteDelta, MemoryDelta, NoopDelta, UpdateDelta
from slowwave.domain.episode import Episode
from slowwave.domain.explanation import Explanation
from slowwave.domain.fact import Fact
from slowwave.domain.receipt import Receipt
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, FactConflictError, Fault, Incorrect, NotFound, SlowwaveError, Unavailable

if TYPE_CHECKING:
    from slowwave.memory import Memory, MemoryScope

__version__ = "0.1.0"

__all__ = [
    "AddDelta",
    "Conflict",
    "DeleteDelta",
    "Episode",
    "Explanation",
    "Fact",
    "FactConflictError",
    "Fault",
    "Incorrect",
    "Memory",
    "MemoryDelta",
    "MemoryScope",
    "NoopDelta",
    "NotFound",
    "Receipt",
    "Recollection",
    "Scope",
    "SlowwaveError",
    "Unavailable",
    "UpdateDelta",
]


def __getattr__(name: str) -> Any:
    """Load what needs the database only when it is asked for: `slowwave --help` does without."""
    if name in ("Memory", "MemoryScope"):
        from slowwave import memory

        return getattr(memory, name)
    raise AttributeError(f"module 'slowwave' has no attribute {name!r}")
