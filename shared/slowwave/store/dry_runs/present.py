"""The present beliefs of a scope, with which a replay is compared, and how far its packs have read."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from slowwave.core.fold import Version
from slowwave.domain.scope import Scope
from slowwave.store.beliefs.held_facts import version
from slowwave.store.clock import now
from slowwave.store.database import Database
from slowwave.store.late_arrivals.earlier_decisions import undone_in
from slowwave.store.statements import sql


@dataclass(frozen=True, slots=True)
class Present:
    """The beliefs of a scope *at* the time of asking, from one snapshot: *believed* has its open versions.

    *read* has the last position that each pack has read; *undone* has the ids of the first decisions on undone claims.
    """

    at: datetime
    believed: tuple[Version, ...]
    read: Mapping[str, int]
    undone: frozenset[uuid.UUID]


def present(database: Database, scope: Scope) -> Present:
    """Return the present of *scope*, from one snapshot that cannot write."""
    with database.long(scope.tenant, frozen=True) as connection:
        connection.exec_driver_sql("SET TRANSACTION READ ONLY")
        at = now(connection)
        rows = connection.exec_driver_sql(sql("dry_runs/believed"), {"scope": scope.id, "at": at})
        believed = tuple(version(row) for row in rows)
        read = connection.exec_driver_sql(sql("dry_runs/read"), {"scope": scope.id})
        return Present(
            at, believed, {row.pack: row.position for row in read}, frozenset(undone_in(connection, scope.id))
        )
