"""Long-term memory for AI agents: episodes in, facts with sources out.

from slowwave import Memory

memory = Memory.connect()
scope = memory.scope(user="alice", agent="concierge")
scope.push("I moved to Oslo last week", role="user", session="s1")
scope.consolidate()
for recollection in scope.recall("where does Alice live?"):
    print(recollection.text, recollection.sources)
"""

from typing import TYPE_CHECKING

from slowwave.runtime.lazy_names import lazy_names

if TYPE_CHECKING:
    from slowwave.client import QueueClient, QueueScope
    from slowwave.core.salience.terms import SalienceContext, SalientMemory
    from slowwave.domain.delta import AddDelta, DeleteDelta, MemoryDelta, NoopDelta, UpdateDelta
    from slowwave.domain.episode import Episode
    from slowwave.domain.erasure import Erasure
    from slowwave.domain.explanation import Explanation
    from slowwave.domain.fact import Fact
    from slowwave.domain.receipt import Receipt
    from slowwave.domain.recollection import Recollection
    from slowwave.domain.run import Report
    from slowwave.domain.scope import Scope
    from slowwave.domain.undo import Undone
    from slowwave.errors import Conflict, FactConflictError, Fault, Incorrect, NotFound, SlowwaveError, Unavailable
    from slowwave.memory import Memory, MemoryScope
    from slowwave.memory.asynchronous import AsyncMemory, AsyncMemoryScope
    from slowwave.memory.graph_builder import GraphBuilder
    from slowwave.ports.recall import SalienceScorer

__version__ = "0.1.0"

__all__ = [
    "AddDelta",
    "AsyncMemory",
    "AsyncMemoryScope",
    "Conflict",
    "DeleteDelta",
    "Episode",
    "Erasure",
    "Explanation",
    "Fact",
    "FactConflictError",
    "Fault",
    "GraphBuilder",
    "Incorrect",
    "Memory",
    "MemoryDelta",
    "MemoryScope",
    "NoopDelta",
    "NotFound",
    "QueueClient",
    "QueueScope",
    "Receipt",
    "Recollection",
    "Report",
    "SalienceContext",
    "SalienceScorer",
    "SalientMemory",
    "Scope",
    "SlowwaveError",
    "Unavailable",
    "Undone",
    "UpdateDelta",
]

__getattr__ = lazy_names(
    __name__,
    {
        "core.salience.terms": "SalienceContext SalientMemory",
        "client": "QueueClient QueueScope",
        "domain.delta": "AddDelta DeleteDelta MemoryDelta NoopDelta UpdateDelta",
        "domain.episode": "Episode",
        "domain.erasure": "Erasure",
        "domain.explanation": "Explanation",
        "domain.fact": "Fact",
        "domain.receipt": "Receipt",
        "domain.recollection": "Recollection",
        "domain.run": "Report",
        "domain.scope": "Scope",
        "domain.undo": "Undone",
        "errors": "Conflict FactConflictError Fault Incorrect NotFound SlowwaveError Unavailable",
        "memory": "Memory MemoryScope",
        "memory.asynchronous": "AsyncMemory AsyncMemoryScope",
        "memory.graph_builder": "GraphBuilder",
        "ports.recall": "SalienceScorer",
    },
)
