"""The inbox of the push use case. One transaction stores one batch of one tenant."""

import uuid
from collections import Counter
from collections.abc import Callable, Sequence

from sqlalchemy import Connection

from slowwave.core.masking import MASKING, Masking
from slowwave.domain.dead_letter import Refused
from slowwave.domain.episode import Episode
from slowwave.domain.limits import metadata_bytes
from slowwave.domain.scope import SYSTEM_TENANT, Scope
from slowwave.ports import StoreState
from slowwave.store import dead_letters
from slowwave.store.access.quotas import Quotas
from slowwave.store.audit import log as audit
from slowwave.store.database import Database
from slowwave.store.inbox import stored_episodes
from slowwave.store.inbox.stored_episodes import create_scopes

PUSH_SECONDS = 10.0
"""Seconds that a push waits for the database. Then it fails, or the outbox of the agent stores the episodes."""


Beside = Callable[[Connection, Sequence[tuple[Scope, Episode]], Sequence[StoreState]], None]
"""A function that writes additional rows for episodes, in the transaction that stores the episodes."""


class PostgresInbox:
    """The durable queue of pushed episodes.

    The inbox caches which scopes exist, so that a push to a known scope needs no lookup.

    *beside* is a function that writes additional rows in the transaction of the episodes. Secrets in dead letters are
    masked here, because no other code has checked these items.
    """

    def __init__(
        self,
        database: Database,
        beside: Beside | None = None,
        *,
        masking: Masking = MASKING,
        quotas: Quotas | None = None,
    ) -> None:
        self._database = database
        self._masking = masking
        self._quotas = quotas or Quotas(database)
        self._beside = beside
        self._created: set[uuid.UUID] = set()

    def store(self, items: Sequence[tuple[Scope, Episode]]) -> tuple[list[StoreState], list[tuple[uuid.UUID, str]]]:
        """Store *items* of one tenant; return one result per item and the (scope, job) pairs that are due at once."""
        scopes = {scope.id: scope for scope, _ in items}
        new = [scope for id_, scope in scopes.items() if id_ not in self._created]
        with self._database.tenant(
            items[0][0].tenant, deadline_seconds=PUSH_SECONDS, plans="force_generic_plan"
        ) as connection:
            if new:
                create_scopes(connection, new)
            stored, due = stored_episodes.store(connection, items)
            episodes, sizes = Counter[str](), Counter[str]()
            for (scope, item), one in zip(items, stored, strict=True):
                if one.state == "stored":
                    episodes[scope.user] += 1
                    sizes[scope.user] += len(item.content.encode()) + metadata_bytes(item.metadata)
            self._quotas.spend_in(connection, items[0][0].tenant, episodes=episodes, bytes_=sizes)
            _log(connection, items, stored)
            if self._beside is not None:
                self._beside(connection, items, stored)
        self._created.update(scopes)
        return stored, due()

    def bury(self, items: Sequence[Refused], *, scope: Scope | str | None) -> None:
        """Store *items* as dead letters, in one transaction.

        A repeated delivery of an item stores no second dead letter. Raises `Crowded` if the tenant may store nothing
        more today, or the database has no room.
        """
        owner = scope if isinstance(scope, Scope) else None
        tenant = owner.tenant if owner else str(scope or SYSTEM_TENANT)
        user = owner.user if owner else ""
        with (
            self._database.tenant(tenant) as connection,
            self._quotas.counting(connection, tenant, user, bulk=True),
        ):
            dead_letters.bury_items(connection, items, tenant=tenant, scope=owner, masking=self._masking)


def _log(connection: Connection, items: Sequence[tuple[Scope, Episode]], stored: Sequence[StoreState]) -> None:
    """Write one audit row per session, if the audit level includes episodes."""
    if audit.audits(connection, "verbose"):
        sessions: dict[tuple[uuid.UUID, str], list[uuid.UUID]] = {}
        for (scope, episode), one in zip(items, stored, strict=True):
            if one.state == "stored":
                sessions.setdefault((scope.id, episode.session), []).append(one.id)
        entries = [
            audit.Entry("store", "episodic", scope=scope, session=session, affected=ids)
            for (scope, session), ids in sessions.items()
        ]
        audit.log(connection, entries, level="verbose")
