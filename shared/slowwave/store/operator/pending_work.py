"""Pending work of a tenant: the work that is due by job, and the work that waits after a failure."""

from sqlalchemy import Connection

from slowwave.domain.overview import Retry, Waiting
from slowwave.domain.scope import Scope
from slowwave.store.statements import execute


def queue(connection: Connection, tenant: str) -> list[Waiting]:
    """Return the waiting jobs, in order of name."""
    return [Waiting(*row) for row in execute(connection, "operator/queue", tenant=tenant)]


def retries(connection: Connection, tenant: str) -> list[Retry]:
    """Return the work that waits after a failed run, the longest wait first."""
    rows = execute(connection, "operator/retries", tenant=tenant)
    return [
        Retry(row.job, row.until, Scope(row.tenant, row.user_id, row.agent, row.channel) if row.user_id else None)
        for row in rows
    ]
