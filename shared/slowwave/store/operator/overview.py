"""Overview of one tenant: counts, scopes, runs, and facts by the prefix of their ids."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from slowwave.domain.job_table import PUSHED
from slowwave.domain.overview import Moves, Overview, PastRun, Person, Waiting
from slowwave.domain.scope import Scope
from slowwave.store.statements import sql


def overview(connection: Connection, tenant: str) -> Overview:
    """Return how much memory *tenant* has and how far its work has come."""
    asked = {"tenant": tenant, "pushed": list(PUSHED)}
    row = dict(connection.exec_driver_sql(sql("operator/status"), asked).mappings().one())
    partitions = {name: until for name, until in connection.exec_driver_sql(sql("retention/partitions")) if until}
    return Overview(**row, partitions=partitions, queue=queue(connection, tenant))


def queue(connection: Connection, tenant: str) -> list[Waiting]:
    """Return the waiting jobs of *tenant*, by name."""
    return [Waiting(*row) for row in connection.exec_driver_sql(sql("operator/queue"), {"tenant": tenant})]


def scopes(
    connection: Connection,
    tenant: str,
    *,
    user: str | None = None,
    agent: str | None = None,
    channel: str | None = None,
) -> list[Scope]:
    """Return the scopes of *tenant*, or those of one user, agent or channel.

    Served by scope_heads_tenant_user_id_agent_channel_key.
    """
    rows = connection.exec_driver_sql(
        "SELECT tenant, user_id, agent, channel FROM scope_heads WHERE tenant = %(tenant)s AND erased IS NULL "
        "AND (%(user)s::text IS NULL OR user_id = %(user)s) AND (%(agent)s::text IS NULL OR agent = %(agent)s) "
        "AND (%(channel)s::text IS NULL OR channel = %(channel)s) ORDER BY user_id, agent, channel",
        {"tenant": tenant, "user": user, "agent": agent, "channel": channel},
    )
    return [Scope(*row) for row in rows]


def people(connection: Connection, tenant: str, *, after: str | None, most: int) -> list[Person]:
    """Return at most *most* people about whom *tenant* has memories, in order of name, after the name *after*."""
    asked = {"tenant": tenant, "after": after, "most": most}
    return [Person(*row) for row in connection.exec_driver_sql(sql("operator/people"), asked)]


def moves(connection: Connection, tenant: str, *, days: int) -> list[Moves]:
    """Return the tier moves of each of the last *days*, in order."""
    return [
        Moves(*row) for row in connection.exec_driver_sql(sql("operator/tier_moves"), {"tenant": tenant, "days": days})
    ]


def runs(
    connection: Connection,
    tenant: str,
    *,
    most: int,
    task: str | None = None,
    scope: uuid.UUID | None = None,
    before: int | None = None,
) -> list[PastRun]:
    """Return the latest runs of *tenant* and of the installation, newest first. *connection* acts as dispatch.

    Filters: a Celery *task*, one *scope* or slice, and runs *before* a given run.
    """
    asked = {"tenant": tenant, "most": most, "task": task, "scope": scope, "before": before}
    return [past(dict(row)) for row in connection.exec_driver_sql(sql("operator/runs_latest"), asked).mappings()]


def past(row: dict[str, Any]) -> PastRun:
    """Return a row of a run as a value, with its scope or slice."""
    parts = [row.pop(part) for part in ("tenant", "user", "agent", "channel")]
    counts: Mapping[str, int] = row.pop("counts")
    return PastRun(scope=Scope(*parts) if parts[0] is not None else None, counts=counts, **row)


def scope(connection: Connection, id_: uuid.UUID) -> Scope | None:
    """Return the scope with this id, of any tenant. *connection* acts as dispatch. Served by scope_heads_pkey."""
    found = connection.exec_driver_sql(
        "SELECT tenant, user_id, agent, channel FROM scope_heads WHERE scope = %(scope)s", {"scope": id_}
    ).one_or_none()
    return None if found is None else Scope(*found)


def facts_beginning(connection: Connection, prefix: str, *, most: int) -> Sequence[uuid.UUID]:
    """Return at most *most* facts whose ids begin with *prefix*, in order. Served by facts_of_delta.

    *prefix* has hexadecimal digits; ids with it lie between the prefix padded with 0 and with f.
    """
    digits = prefix.replace("-", "")
    rows = connection.exec_driver_sql(
        "SELECT DISTINCT fact FROM facts WHERE fact BETWEEN %(least)s::uuid AND %(last)s::uuid ORDER BY fact "
        "LIMIT %(most)s",
        {"least": digits.ljust(32, "0"), "last": digits.ljust(32, "f"), "most": most},
    )
    return list(rows.scalars())
