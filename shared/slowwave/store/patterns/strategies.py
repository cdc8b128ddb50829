"""Reads of strategies and of tool records."""

import uuid
from collections.abc import Sequence

from sqlalchemy import Connection

from slowwave.core.patterns import Support, standing
from slowwave.domain.pattern import Strategy, ToolStats
from slowwave.domain.scope import Scope
from slowwave.ports import Vectors
from slowwave.store.statements import sql


def strategies(
    connection: Connection,
    scopes: Sequence[uuid.UUID],
    *,
    strategy: uuid.UUID | None = None,
    vector: Vectors | None = None,
    space: str | None = None,
) -> list[Strategy]:
    """Return the strategies of *scopes*, or one of them, by agent, channel, task and tools.

    With the *vector* of a task in *space*, each has its similarity to that task.
    """
    rows = connection.exec_driver_sql(
        sql("patterns/strategies_find"),
        {"scopes": list(scopes), "strategy": strategy, "vector": vector, "space": space},
    )
    found = []
    for row in rows:
        support = Support(row.successes, row.failures)
        found.append(
            Strategy(
                id=row.id,
                scope=Scope(row.tenant, row.user_id, row.agent, row.channel),
                task=row.task,
                description=row.description,
                context_pattern=row.context_pattern,
                tool_sequence=tuple(row.tools),
                success_count=row.successes,
                failure_count=row.failures,
                bound=support.bound,
                standing=standing(support, held=row.fact is not None),
                created_at=row.created,
                last_used=row.last_used,
                fact=row.fact,
                embedding=None if row.embedding is None else tuple(row.embedding),
                similarity=row.similarity,
                score=None if vector is None else (row.similarity or 0.0) * support.bound,
            )
        )
    return found


def tool_stats(connection: Connection, scope: uuid.UUID, *, task: str | None = None) -> list[ToolStats]:
    """Return the success records of the tools of *scope*, for one kind of *task* or all, the most used first."""
    rows = connection.exec_driver_sql(sql("patterns/strategies_tools"), {"scope": scope, "task": task})
    return [ToolStats(**row) for row in rows.mappings()]
