"""Removal of the tree nodes above a removed summary, in the transaction that removes the summary."""

import uuid
from collections.abc import Sequence

from sqlalchemy import Connection

from slowwave.core.fold import Decision
from slowwave.domain.fact import SUMMARY
from slowwave.domain.job_table import GROW, pack_of
from slowwave.store.statements import execute


def remove_for_decisions(connection: Connection, scope: uuid.UUID, decisions: Sequence[Decision]) -> None:
    """Remove the tree nodes above summaries that *decisions* withdraw, undo or erase; request a new tree.

    A summary that was only replaced by a later one keeps its nodes until the tree is rebuilt.
    """
    gone = [
        version.fact
        for decision in decisions
        if decision.kind == "delete" or decision.again
        for version in decision.closes
        if version.predicate == SUMMARY
    ]
    if gone:
        execute(connection, "summaries/delete_session_summaries", scope=scope, facts=gone)
        _remove_tree_nodes(connection, [scope] * len(gone), gone)


def remove_for_archived(connection: Connection, conversations: Sequence[tuple[uuid.UUID, str]]) -> None:
    """Remove the tree nodes above the summaries of archived or restored *conversations*; request a new tree."""
    columns = list(zip(*conversations, strict=True)) or [(), ()]
    found = execute(
        connection, "memory_state/session_summaries", scopes=list(columns[0]), sessions=list(columns[1])
    ).all()
    if found:
        _remove_tree_nodes(connection, [row.scope for row in found], [row.fact for row in found])


def _remove_tree_nodes(connection: Connection, scopes: Sequence[uuid.UUID], leaves: Sequence[uuid.UUID]) -> None:
    execute(connection, "memory_state/remove_tree_nodes", scopes=list(scopes), leaves=list(leaves), pack=pack_of(GROW))
