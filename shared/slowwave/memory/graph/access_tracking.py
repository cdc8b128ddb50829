"""Graphs returned to callers: the audit log gets a row with the session, and their facts count as accessed."""

from collections.abc import Sequence
from typing import Any

from slowwave.domain.graph import MemoryGraph
from slowwave.domain.scope import Scope
from slowwave.runtime import clock
from slowwave.store.audit.log import audits, log_read
from slowwave.store.memory_state.accesses import Returned
from slowwave.wiring import Parts


def audit_returned(
    connection: Any,
    graph: MemoryGraph,
    *,
    searched: Sequence[Scope],
    verb: str,
    session: str | None,
    question: str | None,
    began: float,
) -> None:
    """Write to the audit log that *verb* returned *graph*, in the transaction of the read, if reads are audited."""
    if not audits(connection, "reads"):
        return
    found: dict[Scope, list[Any]] = {}
    for edge in graph.edges:
        found.setdefault(graph.nodes[edge.source].scope, []).append(edge.fact)
    log_read(
        connection, question, memory_type="semantic", searched=searched, found=found,
        latency_ms=(clock.monotonic() - began) * 1000, session=session, verb=verb,
    )  # fmt: skip


def count_accesses(parts: Parts, tenant: str, graph: MemoryGraph) -> None:
    """Count the facts of *graph* as accessed, in the background."""
    parts.accesses.add_all(
        Returned(tenant, graph.nodes[edge.source].scope.id, edge.fact, "semantic", edge.confidence, edge.valid_from)
        for edge in graph.edges
        if edge.valid_from is not None
    )
