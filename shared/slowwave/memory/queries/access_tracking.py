"""The audit rows and the counts of accesses for memories and graphs that are returned to callers."""

import uuid
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, TypeVar

from slowwave.domain.graph import MemoryGraph
from slowwave.domain.queries.memory import Readable
from slowwave.domain.scope import Scope
from slowwave.runtime import clock
from slowwave.store.audit.log import audits, log_read
from slowwave.store.audit.reads_and_deltas import log_lookup, log_returned
from slowwave.store.memory_state.accesses import Returned
from slowwave.wiring import Parts

T = TypeVar("T", bound=Readable)
L = TypeVar("L")


def counted_read(
    parts: Parts, scopes: Sequence[Scope], read: Callable[[Any], Sequence[T]], *, verb: str, session: str | None,
    accessed: bool = True,
) -> list[T]:  # fmt: skip
    """Return the result of *read* in *scopes* of one tenant.

    The audit row is written in the same transaction. Accesses are counted later, in the background, or not at all if
    *accessed* is False.
    """
    began, tenant = clock.monotonic(), scopes[0].tenant

    def audited(connection: Any) -> list[T]:
        found = list(read(connection))
        latency_ms = (clock.monotonic() - began) * 1000
        log_returned(connection, found, searched=scopes, verb=verb, session=session, latency_ms=latency_ms)
        return found

    found = parts.database.read(tenant, audited)
    if accessed:
        parts.accesses.add(tenant, found)
    return found


def audited_lookup(
    parts: Parts, tenant: str, read: Callable[[Any], list[L]], *, kind: str, scope: Scope | None, verb: str,
    session: str | None, of: Callable[[L], uuid.UUID] = attrgetter("id"),
) -> list[L]:  # fmt: skip
    """Return the result of *read* for objects that are not memories, such as goals; also write the audit row.

    *kind* is the memory type in the audit log. *of* returns the id of an object.
    """
    began = clock.monotonic()

    def audited(connection: Any) -> list[L]:
        found = read(connection)
        log_lookup(
            connection, [of(one) for one in found], memory_type=kind, scope=scope, verb=verb, session=session,
            latency_ms=(clock.monotonic() - began) * 1000,
        )  # fmt: skip
        return found

    return parts.database.read(tenant, audited)


def counted_graph(
    parts: Parts, searched: Sequence[Scope], read: Callable[[Any], MemoryGraph], *, verb: str, session: str | None,
    question: str | None = None,
) -> MemoryGraph:  # fmt: skip
    """Return the graph of *read* in the scopes *searched* of one tenant; see `counted_read`."""
    began, tenant = clock.monotonic(), searched[0].tenant

    def audited(connection: Any) -> MemoryGraph:
        graph = read(connection)
        if audits(connection, "reads"):
            found: dict[Scope, list[Any]] = {}
            for edge in graph.edges:
                found.setdefault(graph.nodes[edge.source].scope, []).append(edge.fact)
            log_read(
                connection, question, memory_type="semantic", searched=searched, found=found,
                latency_ms=(clock.monotonic() - began) * 1000, session=session, verb=verb,
            )  # fmt: skip
        return graph

    graph = parts.database.read(tenant, audited)
    parts.accesses.add_all(
        Returned(tenant, graph.nodes[edge.source].scope.id, edge.fact, "semantic", edge.confidence, edge.valid_from)
        for edge in graph.edges
        if edge.valid_from is not None
    )
    return graph
