"""A preview of retention in the next days. It uses the code by which the jobs decide, and writes nothing."""

import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from slowwave.domain.job_table import SLICES
from slowwave.domain.retention import Leaving, Preview
from slowwave.store import transaction
from slowwave.store.database import Database
from slowwave.store.memory_state.standing import read
from slowwave.store.retention import expired
from slowwave.store.statements import execute
from slowwave.store.transaction import policy_of

_ALL = range(SLICES)


def preview(database: Database, tenant: str, days: float) -> Preview:
    """Return the conversations, facts and entities that a tenant loses within *days*, in order of scope and id.

    All reads are in one transaction. Facts that the tenant loses do not protect conversations or entities.
    """
    with database.tenant(tenant) as connection:
        now = transaction.now(connection)
        return _preview(connection, now + timedelta(days=days))


def _preview(connection: Connection, until: datetime) -> Preview:
    archived = expired.due_conversations(connection, _ALL, until)
    faded = _fading(connection, until)
    fading = {row["memory"] for row in faded}
    dropped = [row for row in expired.facts(connection, _ALL, until) if row.memory not in fading]
    gone = fading | {row.memory for row in dropped}
    also = [(row.scope, row.session) for row in archived]
    over = expired.expired_conversations(connection, _ALL, until, also=also, gone=gone)
    entities = expired.entities(connection, _ALL, until, every=True, gone=gone)
    policy = policy_of(connection)
    return Preview(
        until,
        archived=_sorted((row.scope, row.session, row.session) for row in archived),
        expired=_sorted((row.scope, row.session, row.session) for row in over if not row.cited),
        faded=_sorted((row["scope"], row["memory"], row["text"]) for row in faded),
        dropped=_sorted((row.scope, row.memory, row.text) for row in dropped),
        tombstoned=_sorted(
            (one.scope, one.entity, one.name) for one in entities if one.leaves(policy.retention, policy.decay, until)
        ),
    )


def _fading(connection: Connection, until: datetime) -> list[Any]:
    """Return the facts whose strength will be below `forget_below` by *until*."""
    where = {"slices": list(_ALL), "now": until}
    decay = policy_of(connection).decay
    rows = execute(connection, "retention/due_for_decay", **where).mappings()
    return [row for row in rows if row["kind"] == "semantic" and decay.forgotten(read(row), until)]


def _sorted(leaving: Iterable[tuple[uuid.UUID, object, str]]) -> list[Leaving]:
    return sorted(Leaving(scope, str(id_), name) for scope, id_, name in leaving)
