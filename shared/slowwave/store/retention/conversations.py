"""Conversations: one record per session, which people can archive and restore."""

import uuid

from sqlalchemy import Connection

from slowwave.domain.retention import Conversation
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, NotFound
from slowwave.store.audit import log as audit
from slowwave.store.memory_state import tree_removal
from slowwave.store.retention import legal_holds
from slowwave.store.schedule.slice_sweep import fire_sweep
from slowwave.store.statements import execute


def heard(connection: Connection, run: Run) -> None:
    """Add the episodes of *run* to the records of their conversations, in the transaction that stores their vectors.

    If a conversation is new, request a sweep, because memories of earlier conversations may have to leave the hot
    tiers.
    """
    only = list(run.only) or None
    rows = execute(connection, "retention/conversations_update", scope=run.scope, lo=run.lo, hi=run.hi, only=only)
    if begun := sorted(session for session, begins in rows if begins):
        fire_sweep(connection, run.scope, key=f"session/{begun[0]}", by="prepare")


def archive(connection: Connection, scope: uuid.UUID, session: str) -> bool:
    """Archive a conversation. Default recall leaves the conversation out, but facts learned from it stay believed.

    Returns False if the conversation was archived already. Raises `NotFound` for a session without episodes, and
    `Conflict` while a legal hold covers the conversation.
    """
    if legal_holds.under_legal_hold(connection, [scope]):
        raise Conflict("a legal hold covers this conversation", hint="`slowwave archive holds` says which, and why")
    done = connection.exec_driver_sql(
        "UPDATE conversations SET archived = slowwave_now() "
        "WHERE scope = %(scope)s AND session = %(session)s AND archived IS NULL",
        {"scope": scope, "session": session},
    ).rowcount
    if not done:
        _known(connection, scope, session)
        return False
    tree_removal.remove_for_archived(connection, [(scope, session)])
    _log(connection, scope, session, "archive")
    return True


def restore(connection: Connection, scope: uuid.UUID, session: str) -> bool:
    """Restore a conversation from the archive. The time until the conversation is archived again starts now.

    Returns False if the conversation was not archived. Raises `NotFound` for a session without episodes, and for a
    conversation past its retention.
    """
    row = connection.exec_driver_sql(
        "UPDATE conversations SET archived = NULL, touched = slowwave_now() WHERE scope = %(scope)s "
        "AND session = %(session)s AND archived IS NOT NULL AND (tombstoned IS NULL OR tombstoned < touched) "
        "RETURNING session",
        {"scope": scope, "session": session},
    ).one_or_none()
    if row is None:
        if _known(connection, scope, session):
            raise NotFound(f"what was said in {session!r} has expired", hint="its retention has passed")
        return False
    tree_removal.remove_for_archived(connection, [(scope, session)])
    _log(connection, scope, session, "restore")
    return True


def listing(
    connection: Connection, scope: uuid.UUID | None = None, *, every: bool = False, most: int = 1_000
) -> list[Conversation]:
    """Return the archived conversations of a scope or of the tenant, latest first.

    With *every*, return all conversations.
    """
    rows = execute(connection, "retention/conversations_list", scope=scope, every=every, most=most)
    return [
        Conversation(Scope(*names), session, first, last, episodes, archived, tombstoned)
        for *names, session, first, last, episodes, archived, tombstoned in rows
    ]


def _known(connection: Connection, scope: uuid.UUID, session: str) -> bool:
    """Return whether a conversation has expired. Raises `NotFound` if the conversation does not exist."""
    row = connection.exec_driver_sql(
        "SELECT archived IS NOT NULL AND coalesce(tombstoned >= touched, false) AS gone FROM conversations "
        "WHERE scope = %(scope)s AND session = %(session)s",
        {"scope": scope, "session": session},
    ).one_or_none()
    if row is None:
        raise NotFound(f"there is no conversation {session!r} here", hint="an episode's session names its conversation")
    return bool(row.gone)


def _log(connection: Connection, scope: uuid.UUID, session: str, action: str) -> None:
    audit.log_write(
        connection, "update", "episodic", scope=scope, session=session, detail={"action": action, "sessions": [session]}
    )
