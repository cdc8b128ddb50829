"""Reads of episodes and beliefs for a dry run, in transactions that cannot write."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from slowwave.core.fold import Fold, Version
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.scope import Scope
from slowwave.ports.model_calls import Reply
from slowwave.store.beliefs.affected_facts import fold_over, version
from slowwave.store.database import Database, Repository
from slowwave.store.inbox import stored_episodes
from slowwave.store.late_arrivals import undone_in
from slowwave.store.model_requests import replies_of
from slowwave.store.statements import execute
from slowwave.store.transaction import now

AT_ONCE = 1_000
"""The number of episodes that are read per transaction."""


class PostgresDryRuns(Repository):
    """The reader of a dry run. Every method uses read-only transactions, in which a write raises an error."""

    def now(self, tenant: str) -> datetime:
        """Return the current time of the database. A dry run compares the beliefs at this time."""
        with self.reading(tenant) as connection:
            return now(connection)

    def largest(self, tenant: str, *, most: int) -> list[tuple[Scope, int]]:
        """Return the scopes with the most episodes, at most *most* scopes, each with its number of episodes."""
        with self.reading(tenant) as connection:
            rows = execute(connection, "dry_runs/largest", tenant=tenant, most=most)
            return [(Scope(*scope), episodes) for *scope, episodes in rows]

    def episodes(self, scope: Scope) -> list[StoredEpisode]:
        """Return all episodes of *scope*, in order. A transaction reads at most `AT_ONCE` episodes."""
        with self.reading(scope.tenant) as connection:
            asked = {"scope": scope.id}
            head = connection.exec_driver_sql("SELECT head FROM scope_heads WHERE scope = %(scope)s", asked).scalar()
        found: list[StoredEpisode] = []
        for start in range(1, (head or 0) + 1, AT_ONCE):
            with self.reading(scope.tenant) as connection:
                found += stored_episodes.window(connection, scope.id, start, min(head or 0, start + AT_ONCE - 1))
        return found

    def windows(self, scope: Scope, pack: str) -> list[tuple[int, int]]:
        """Return the windows that are planned for a model pack in *scope*, in order."""
        with self.reading(scope.tenant) as connection:
            rows = execute(connection, "dry_runs/windows", scope=scope.id, pack=pack)
            return [(row.lo, row.hi) for row in rows]

    def replies(self, scope: Scope, requests: Sequence[str]) -> list[Reply]:
        """Return the replies to *requests* in order of position; omit requests that were not answered."""
        with self.reading(scope.tenant) as connection:
            rows = execute(connection, "dry_runs/replies", requests=list(requests)).mappings()
            return replies_of(connection, scope.id, [dict(row) for row in rows])

    def fold(self, scope: Scope, pack: str, claims: Sequence[Claim]) -> Fold:
        """Return a `Fold` with the facts of *scope* that *claims* of *pack* may affect."""
        with self.reading(scope.tenant) as connection:
            return fold_over(connection, scope.id, pack, claims)

    @contextmanager
    def reading(self, tenant: str) -> Iterator[Connection]:
        """Give a read-only transaction of *tenant*, in which every write is an error."""
        with self._database.tenant(tenant) as connection:
            connection.exec_driver_sql("SET TRANSACTION READ ONLY")
            yield connection


@dataclass(frozen=True, slots=True)
class Present:
    """The beliefs of a scope in one snapshot, at the time *at*. *believed* has the open versions.

    *read* has the last position that each pack has read. *undone* has the id of the first decision about each undone
    claim.
    """

    at: datetime
    believed: tuple[Version, ...]
    read: Mapping[str, int]
    undone: frozenset[uuid.UUID]


def present(database: Database, scope: Scope) -> Present:
    """Return the beliefs of *scope* now, from one snapshot of a read-only transaction."""
    with database.long(scope.tenant, frozen=True) as connection:
        connection.exec_driver_sql("SET TRANSACTION READ ONLY")
        at = now(connection)
        rows = execute(connection, "dry_runs/believed", scope=scope.id, at=at)
        believed = tuple(version(row) for row in rows)
        read = execute(connection, "dry_runs/read", scope=scope.id)
        return Present(
            at, believed, {row.pack: row.position for row in read}, frozenset(undone_in(connection, scope.id))
        )
