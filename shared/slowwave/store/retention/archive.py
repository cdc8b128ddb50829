"""The steps of the archive job, each one transaction under the run's lease, which first checks what is still due; and a
preview of retention in the next days, which uses the code by which the jobs decide, and writes nothing.
"""

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

from sqlalchemy import Connection

from slowwave.domain.job_table import ARCHIVE, SLICES
from slowwave.domain.retention import Leaving, Preview
from slowwave.domain.run import Run
from slowwave.store import transaction
from slowwave.store.audit import log as audit
from slowwave.store.beliefs.manual_corrections import withdraw_facts
from slowwave.store.blocks import packing
from slowwave.store.database import Database
from slowwave.store.memory_state import tree_removal
from slowwave.store.memory_state.standing import read
from slowwave.store.retention import expired
from slowwave.store.retention.expired import Batch, Cursor, EntityRetention, Expired
from slowwave.store.statements import execute
from slowwave.store.transaction import policy_of
from slowwave.store.work_queue import leases
from slowwave.store.work_queue.leases import open_scope
from slowwave.store.work_queue.slices import slice_of

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


BATCH = 500
"""The maximum number of conversations, facts or entities per transaction."""


class PostgresArchive:
    """The memories under retention. Every method is one transaction guarded by the run's lease."""

    def __init__(self, database: Database, *, batch: int = BATCH) -> None:
        self._database = database
        self._batch = batch

    def archive(self, run: Run) -> int:
        """Archive the next conversations that were untouched for long; return their number, 0 after the last
        conversation.
        """
        with self._database.tenant(run.tenant) as connection:
            slices, now = _fenced_slice(connection, run)
            due = expired.due_conversations(connection, slices, now, most=self._batch)
            done = archive(connection, [(row.scope, row.session) for row in due], now=now, untouched_since=True)
            _audit(connection, done, "archive", run.run)
        return len(done)

    def expired(self, run: Run, after: Cursor) -> Expired:
        """Return the next facts past their retention. The page starts after the cursor *after*."""
        with self._database.tenant(run.tenant) as connection:
            slices, now = _fenced_slice(connection, run)
            due = expired.facts(connection, slices, now, after=after, most=self._batch)
        return Expired(
            [(row.scope, row.memory) for row in due], self._last([(row.scope, str(row.memory)) for row in due])
        )

    def drop(self, run: Run, scope: uuid.UUID, facts: Sequence[uuid.UUID]) -> int | None:
        """Withdraw those of *facts* still past retention; return their number, or None if *scope* is leased."""
        with self._database.tenant(run.tenant) as connection:
            slices, now = _fenced_slice(connection, run)
            after = open_scope(connection, scope)
            if after is None:
                return None
            policy = policy_of(connection).names.get("retention")
            due = [row.memory for row in expired.facts(connection, slices, now, only=facts)]
            reason = "its retention has passed"
            return withdraw_facts(
                connection, scope, due,
                job=ARCHIVE, policy=policy, reason=reason, at=now, run=run.run, after=after,
            )  # fmt: skip

    def expire(self, run: Run, after: Cursor) -> Batch:
        """Tombstone the next archived conversations past their retention, unless a believed fact cites them."""
        with self._database.tenant(run.tenant) as connection:
            slices, now = _fenced_slice(connection, run)
            due = expired.expired_conversations(connection, slices, now, after=after, most=self._batch)
            before = policy_of(connection).retention.expire_before(now)
            free = [(row.scope, row.session) for row in due if not row.cited]
            given = execute(connection, "retention/tombstone", before=before, **_arrays(free))
            done = [(scope, session) for scope, session in given]
            packing.give_up(connection, done)
            _audit(connection, done, "expire", run.run)
        return Batch(Counter(expired=len(done)), self._last([(row.scope, row.session) for row in due]))

    def tombstone(self, run: Run, after: Cursor) -> Batch:
        """Tombstone the next entities that have faded, are long unused, and about which no fact is believed."""
        with self._database.tenant(run.tenant) as connection:
            slices, now = _fenced_slice(connection, run)
            found = expired.entities(connection, slices, now, after=after, most=self._batch)
            locked = expired.lock_entities(connection, found)
            again = expired.entities(connection, slices, now, after=after, most=self._batch)
            due = [one for one in again if (one.scope, one.entity) in locked]
            policy = policy_of(connection)
            leaving = [one for one in due if one.leaves(policy.retention, policy.decay, now)]
            _set_due(connection, due, leaving, now)
            _audit_entities(connection, leaving, run.run)
        return Batch(Counter(tombstoned=len(leaving)), self._last([(one.scope, str(one.entity)) for one in found]))

    def _last(self, cursors: Sequence[Cursor]) -> Cursor | None:
        return cursors[-1] if len(cursors) == self._batch else None


def archive(
    connection: Connection, conversations: Sequence[Cursor], *, now: datetime, untouched_since: bool = False
) -> list[Cursor]:
    """Archive *conversations*; return those that were not archived before.

    If *untouched_since* is true, a conversation that is no longer due because of new episodes is skipped.
    """
    before = policy_of(connection).retention.archive_before(now) if untouched_since else None
    done = execute(connection, "retention/archive", now=now, before=before, **_arrays(conversations))
    put = [(scope, session) for scope, session in done]
    tree_removal.remove_for_archived(connection, put)
    return put


def _set_due(
    connection: Connection, due: Sequence[EntityRetention], leaving: Sequence[EntityRetention], now: datetime
) -> None:
    """Tombstone the entities *leaving*, and store the next due times of all other entities in *due*."""
    policy, gone = policy_of(connection), {one.entity for one in leaving}
    retention, decay = policy.retention, policy.decay
    again = [None if one.needed or one.entity in gone else retention.look(one.standing, decay, now) for one in due]
    execute(
        connection,
        "retention/set_entities_due",
        now=now,
        scopes=[one.scope for one in due],
        entities=[one.entity for one in due],
        dues=again,
        tombstoned=[one.entity in gone for one in due],
        faded=[retention.faded(one.standing, decay, now) for one in due],
    )


def _fenced_slice(connection: Connection, run: Run) -> tuple[list[int], datetime]:
    """Lock the run's lease; return the slice on which the run works, and the time."""
    leases.fence(connection, run)
    return [slice_of(connection, run)], transaction.now(connection)


def _arrays(conversations: Sequence[Cursor]) -> dict[str, list[object]]:
    return {"scopes": [scope for scope, _ in conversations], "sessions": [session for _, session in conversations]}


def _audit(connection: Connection, done: Sequence[Cursor], action: str, run: int | None) -> None:
    """Write one audit row per scope, with the sessions that were archived or expired."""
    audit.log(
        connection,
        [
            audit.Entry(
                "update", "episodic", scope=scope, run=run,
                detail={"action": action, "sessions": [session for _, session in sessions]},
            )
            for scope, sessions in groupby(sorted(done), key=lambda cursor: cursor[0])
        ],
    )  # fmt: skip


def _audit_entities(connection: Connection, leaving: Sequence[EntityRetention], run: int) -> None:
    audit.log(
        connection,
        [
            audit.Entry(
                "delete", "entity", scope=scope, run=run, affected=[one.entity for one in ones],
                detail={"action": "tombstone"},
            )
            for scope, ones in ((scope, list(group)) for scope, group in groupby(leaving, key=lambda one: one.scope))
        ],
    )  # fmt: skip
