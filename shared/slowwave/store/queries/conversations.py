"""Conversations of several scopes, including their latest messages."""

from collections.abc import Collection, Sequence

from sqlalchemy import Connection

from slowwave.domain.job_table import PREPARE, pack_of
from slowwave.domain.retention import Conversation
from slowwave.domain.scope import Scope
from slowwave.store.statements import sql


def conversations(
    connection: Connection,
    scopes: Sequence[Scope],
    *,
    sessions: Collection[str] | None = None,
    archived: bool | None = None,
    after: Conversation | None = None,
    most: int,
) -> list[Conversation]:
    """Return the conversations of *scopes*, the most recent first; those after *after*, if given.

    *archived* selects archived conversations (True) or the others (False).
    """
    rows = connection.exec_driver_sql(
        sql("queries/conversations"),
        {
            "scopes": [scope.id for scope in scopes],
            "pack": pack_of(PREPARE),
            "sessions": None if sessions is None else list(sessions),
            "archived": archived,
            "last_at": after and after.last_at,
            "scope": after and after.scope.id,
            "session": after and after.session,
            "most": most,
        },
    )
    whose = {scope.id: scope for scope in scopes}
    return [Conversation(whose[scope], *told) for scope, *told in rows]
